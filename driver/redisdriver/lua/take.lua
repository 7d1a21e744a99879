-- Sets a key that is not there, for a time. That it is ours already is a success, too.
-- KEYS: key. ARGV: value, ttl in ms
local has = redis.call('GET', KEYS[1])
if has == ARGV[1] then
  return { 'granted' }
elseif has then
  return { 'busy', has, redis.call('PTTL', KEYS[1]) }
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 'granted' }
