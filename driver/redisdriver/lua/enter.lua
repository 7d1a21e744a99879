-- Puts a place at the end of a line, unless it stands there.
-- ARGV: session, try, claim
sweep()
local session, try, c = ARGV[1], ARGV[2] == '1', claim_at(3)
look_at(c)
local refused = refusal(c, session)
if refused then
  return refused
elseif c.record then
  return answer(c)
elseif mismatches(c) then
  return mismatch(c)
elseif try and not fits(c) then
  return busy(c.name)
end
join(c, session)
changed(c.name)
return answer(c)
