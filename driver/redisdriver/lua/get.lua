-- One entry: version, value.
-- ARGV: key
sweep()
local version, value = entry(ARGV[1])
if not version then
  return {}
end
return { version, value }
