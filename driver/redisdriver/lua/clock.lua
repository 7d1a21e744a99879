-- The server's time, as it was when the script began: the only clock there is.
local time = redis.call('TIME')
local micros = time[1] .. string.format('%06d', time[2])
local now = math.floor(micros / 1000)
