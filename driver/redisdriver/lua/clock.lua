-- The server's time, as it was when the script began: the only clock there is. In ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
