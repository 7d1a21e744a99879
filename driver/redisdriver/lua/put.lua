-- Writes an entry.
-- ARGV: key, value, the version it must have or '', ttl in ms or 0
sweep()
local key, ttl = ARGV[1], tonumber(ARGV[4])
local version = entry(key)
if ARGV[3] ~= '' and ARGV[3] ~= (version or '0') then
  return { 'conflict', version or '0' }
end
version = next_order()
redis.call('HSET', entry_key(key), 'version', version, 'value', ARGV[2])
redis.call('ZADD', entries, 0, key)
if ttl > 0 then
  redis.call('ZADD', deadlines, now + ttl + 1, 'k:' .. key)
  redis.call('PUBLISH', deadlines, ttl)
else
  redis.call('ZREM', deadlines, 'k:' .. key)
end
redis.call('PUBLISH', entry_key(key), '')
return { 'ok', version }
