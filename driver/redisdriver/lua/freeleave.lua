-- Gives a lock back that nobody else waits for, see end_line in place.lua. Also one whose time
-- is up may do that.
local session, name, id = ARGV[1], ARGV[2], ARGV[3]
if ARGV[4] ~= '1' then
  local call, line = redis.call, root .. 'line:' .. name
  local at = call('HMGET', line, 'only', id)
  if at[1] == id and string.match(at[2], '^%d+ %d+ %d+ (%x+)') == session then
    call('DEL', line)
    call('ZREM', root .. 'lines', name)
    call('SREM', root .. 'places:' .. session, id .. ' ' .. name)
    call('PUBLISH', line, '')
    return { 'ok' }
  end
end
