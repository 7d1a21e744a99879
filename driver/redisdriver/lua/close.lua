-- Ends a session. Says whether all its places are gone.
-- ARGV: session
local id = ARGV[1]
end_session(id, 10 * batch)
return { redis.call('EXISTS', places_key(id)) == 0 and 'ok' or 'more' }
