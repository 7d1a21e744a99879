-- Removes what has expired, and says in how many ms to come again: 0 when there is more,
-- -1 when nothing ever expires.
sweep()
if not swept then
  return { 0 }
end
local first = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
if not first[2] then
  return { -1 }
end
return { math.max(first[2] - now, 1) }
