-- Removes a place that waits, or by force any, and marks one that is granted.
-- ARGV: line, place, '1' for force, mark
sweep()
local name, id = ARGV[1], ARGV[2]
-- An ID is as long as no other field of a line, see show_line.
local record = #id == 32 and redis.call('HGET', line_key(name), id)
if not record then
  return { 'gone' }
end
local _, session = units_and_session(record)
here(session_key(session), places_key(session), marks_key(session))
if ARGV[3] == '1' or redis.call('ZSCORE', waiting_key(name), id) then
  remove(name, id, record)
  redis.call('PUBLISH', session_key(session), 'removed ' .. id)
elseif redis.call('HSETNX', line_key(name), 'mark:' .. id, ARGV[4]) == 1 then
  redis.call('SADD', marks_key(session), id .. ' ' .. name)
  changed(name)
end
return { 'ok' }
