-- Gives a key that is ours its time anew.
-- KEYS: key. ARGV: value, ttl in ms
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return { 'gone' }
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'ok' }
