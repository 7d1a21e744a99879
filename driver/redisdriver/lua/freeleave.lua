-- Gives a lock back that nobody else waits for. Also one whose time is up may do that.
local session, name, id = ARGV[1], ARGV[2], ARGV[3]
if ARGV[4] ~= '1' then
  local at = redis.call('HMGET', line_key(name), 'only', id)
  if at[1] == id then
    local _, of = units_and_session(at[2])
    if of == session then
      end_line(name, id, session)
      changed(name)
      return { 'ok' }
    end
  end
end
