-- The lines of a range of names, whole.
-- ARGV: min, max, at most how many
sweep()
local shown = {}
for _, name in ipairs(redis.call('ZRANGEBYLEX', lines, ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])) do
  shown[#shown + 1] = show_line(name)
end
return shown
