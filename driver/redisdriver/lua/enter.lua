-- Puts a place at the end of a line, unless it stands there.
-- ARGV: session, try, claim
if sweep() then
  look_at(c) -- again
end
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
