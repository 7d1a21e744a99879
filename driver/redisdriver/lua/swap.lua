-- Leaves a place and enters at the end of the same line.
-- ARGV: session, old place, claim
sweep()
local session, old, c = ARGV[1], ARGV[2], claim_at(3)
look_at(c)
local refused = refusal(c, session)
if refused then
  return refused
elseif c.record then
  return answer(c)
end
local record = redis.call('HGET', line_key(c.name), old)
local _, of = units_and_session(record or '')
if of ~= session then
  return { 'gone' }
elseif mismatches(c) and redis.call('ZCARD', order_key(c.name)) > 1 then
  return mismatch(c)
end
if take_out(c.name, old, record) then
  settle(c.name)
end
look_at(c)
join(c, session)
changed(c.name)
return answer(c)
