-- How long a session is kept that nothing is heard of, in ms.
-- ARGV: session
local ends = redis.call('HGET', session_key(ARGV[1]), 'ends')
if not ends then
  return { 'lost' }
end
return { 'ok', tostring(math.max(ends - now, 0)) }
