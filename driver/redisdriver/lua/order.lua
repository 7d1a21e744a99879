-- The next order: the time in microseconds, or one more than the last where the clock
-- has not moved on or was set back. Both are compared as the decimal texts they are: a
-- number of Lua's is exact only up to 2^53.
local function next_order()
  local last = redis.call('GET', counter)
  if not last or #last < #micros or #last == #micros and last < micros then
    redis.call('SET', counter, micros)
    return micros
  end
  redis.call('INCR', counter)
  return redis.call('GET', counter)
end
