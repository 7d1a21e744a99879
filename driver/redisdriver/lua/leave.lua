-- Removes a place. What is still under way to make it is to come to nothing: then a note
-- is left for it.
-- ARGV: session, line, place, '1' for the note
sweep()
local record = redis.call('HGET', line_key(name), id)
local _, of = units_and_session(record or '')
if (of ~= session or not swept) and not alive(session) then
  return { 'lost' }
end
if ARGV[4] == '1' then
  redis.call('HSET', session_key(session), 'left:' .. id, '')
end
if of ~= session then
  return { 'gone' }
end
remove(name, id, record)
return { 'ok' }
