-- The version of an entry, and its value if it is wanted; nothing when it is not there.
local function entry(key)
  if overdue('k:' .. key) then
    end_entry(key)
  end
  local at = redis.call('HMGET', entry_key(key), 'version', 'value')
  return at[1], at[2]
end
