-- The entries of a range of keys: key, version, value of each.
-- ARGV: min, max, at most how many
sweep()
local keys = redis.call('ZRANGEBYLEX', entries, ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
local shown = {}
for _, key in ipairs(keys) do
  local version, value = entry(key)
  -- One that has just expired is shown without a version, for the next page to go on behind.
  shown[#shown + 1] = { key, version or '', value or '' }
end
return shown
