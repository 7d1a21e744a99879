-- Every place of a session: line, place, order.
-- ARGV: session
sweep()
local id = ARGV[1]
if not alive(id) then
  return { 'lost' }
end
local shown = { 'ok' }
for _, member in ipairs(redis.call('SMEMBERS', places_key(id))) do
  local place, name = string.sub(member, 1, 32), string.sub(member, 34)
  local record = redis.call('HGET', line_key(name), place)
  if record then -- else somebody deleted the line's keys
    local _, _, order = parse(record)
    shown[#shown + 1] = { name, place, order }
  end
end
return shown
