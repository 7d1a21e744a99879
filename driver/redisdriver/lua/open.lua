-- Starts a session. Says whether the server is of a cluster.
-- ARGV: session, owner, ttl in ms
local info = redis.call('INFO', 'memory', 'cluster')
local policy = string.match(info, 'maxmemory_policy:(%S+)')
if policy ~= 'noeviction' then
  return { 'policy', policy or 'unknown' }
end
sweep()
local id, ttl = ARGV[1], ARGV[3]
redis.call('HSET', session_key(id), 'owner', ARGV[2], 'ttl', ttl)
live(id, ttl)
-- Who has a timer for the next deadline may need an earlier one.
redis.call('PUBLISH', deadlines, ttl)
return { 'ok', string.match(info, 'cluster_enabled:(%d)') or '' }
