-- Takes a lock that is free: nobody stands in the line. So nothing that may have expired
-- matters here but the session itself. All is written out, see begin_line in claim.lua, and
-- comes before what the others need: to define that takes longer than to do this.
do
  local call, session, name, id = redis.call, ARGV[1], ARGV[3], ARGV[4]
  local line = root .. 'line:' .. name
  if call('EXISTS', line) == 0 then
    local at = call('HMGET', root .. 'session:' .. session, 'ends', 'left:' .. id)
    if at[1] and now < tonumber(at[1]) and not at[2] then
      local order = next_order()
      call('HSET', line, 'kind', ARGV[5], 'capacity', ARGV[6], 'held', ARGV[7],
        'only', id, id, ARGV[7] .. ' 1 ' .. order .. ' ' .. session .. ' ' .. ARGV[8])
      call('ZADD', root .. 'lines', 0, name)
      call('SADD', root .. 'places:' .. session, id .. ' ' .. name)
      call('PUBLISH', line, '')
      return { 'granted', order }
    end
  end
end
