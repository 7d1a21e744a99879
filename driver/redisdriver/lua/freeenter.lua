-- Takes a lock that is free: nobody stands in the line. So nothing that may have expired
-- matters here but the session itself.
local session, try, c = ARGV[1], ARGV[2] == '1', claim_at(3)
look_at(c)
if not c.line_kind then
  local at = redis.call('HMGET', session_key(session), 'ends', 'left:' .. c.id)
  if at[1] and now < tonumber(at[1]) and not at[2] then
    begin_line(c, session)
    changed(c.name)
    return { 'granted', c.order }
  end
end
