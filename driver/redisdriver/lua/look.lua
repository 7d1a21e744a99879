-- One place of a session, and whether it is granted.
-- ARGV: session, line, place
sweep()
local session, name, id = ARGV[1], ARGV[2], ARGV[3]
if not alive(session) then
  return { 'lost' }
end
local _, of = units_and_session(redis.call('HGET', line_key(name), id) or '')
if of ~= session then
  return { 'gone' }
end
local waits = redis.call('ZSCORE', waiting_key(name), id)
return { waits and 'waiting' or 'granted', '', show_one(name, id) }
