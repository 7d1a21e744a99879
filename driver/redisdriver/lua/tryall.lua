-- Enters several lines, if every place is granted at once, or none.
-- ARGV: session, claim, claim, ...
sweep()
local session, claims = ARGV[1], {}
for i = 2, #ARGV, 6 do
  claims[#claims + 1] = claim_at(i)
end
for _, c in ipairs(claims) do
  look_at(c)
  local refused = refusal(c, session)
  if refused then
    return refused
  elseif c.record then
    if redis.call('ZSCORE', waiting_key(c.name), c.id) then
      return busy(c.name)
    end
  elseif mismatches(c) then
    return mismatch(c)
  elseif not fits(c) then
    return busy(c.name)
  end
end
local answers = { 'all' }
for _, c in ipairs(claims) do
  if not c.record then
    join(c, session)
    changed(c.name)
  end
  answers[#answers + 1] = answer(c)
end
return answers
