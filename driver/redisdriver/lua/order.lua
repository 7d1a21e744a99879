local counter = root .. 'counter' -- the last order given

-- The next order: the time in microseconds, or one more than the last where the clock
-- has not moved on or was set back. Both are compared as the decimal texts they are: a
-- number of Lua's is exact only up to 2^53.
local function next_order()
  local micros = time[1] .. string.format('%06d', time[2])
  local last = redis.call('SET', counter, micros, 'GET')
  if not last or #last < #micros or #last == #micros and last < micros then
    return micros
  end
  redis.call('SET', counter, last)
  redis.call('INCR', counter)
  return redis.call('GET', counter)
end
