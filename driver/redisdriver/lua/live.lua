-- Starts a session's time. One more, since now was rounded down: it never ends before its
-- TTL. When that is stands in the session, too, for whoever asks about this one alone.
local function live(id, ttl)
  local ends = now + ttl + 1
  redis.call('ZADD', deadlines, ends, 's:' .. id)
  redis.call('HSET', session_key(id), 'ends', ends)
end
