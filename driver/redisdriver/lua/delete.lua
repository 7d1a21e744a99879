-- Deletes an entry.
-- ARGV: key, the version it must have or 0
sweep()
local key = ARGV[1]
local version = entry(key)
if not version then
  return { 'gone' }
elseif ARGV[2] ~= '0' and ARGV[2] ~= version then
  return { 'conflict', version }
end
end_entry(key)
return { 'ok' }
