-- Writes data and units of a place that stands.
-- ARGV: session, line, place, version, units, data
sweep()
local session, name, id = ARGV[1], ARGV[2], ARGV[3]
if not alive(session) then
  return { 'lost' }
end
local units, version, order, of = parse(redis.call('HGET', line_key(name), id) or '')
if of ~= session then
  return { 'gone' }
elseif version ~= ARGV[4] then
  return { 'conflict', version }
end
local less = units - ARGV[5]
if less < 0 or tonumber(ARGV[5]) < 0 then
  return { 'more', units }
end
local record = ARGV[5] .. ' ' .. version + 1 .. ' ' .. order .. ' ' .. session .. ' ' .. ARGV[6]
redis.call('HSET', line_key(name), id, record)
if less > 0 then
  if not redis.call('ZSCORE', waiting_key(name), id) then
    redis.call('HINCRBY', line_key(name), 'held', -less)
  elseif ARGV[5] == '0' then
    redis.call('ZREM', waiting_key(name), id)
    redis.call('PUBLISH', session_key(session), 'granted ' .. id)
  end
  settle(name)
end
changed(name)
local waits = redis.call('ZSCORE', waiting_key(name), id)
return { waits and 'waiting' or 'granted', '', show_one(name, id) }
