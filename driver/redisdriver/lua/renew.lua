-- Starts the session's time anew, and tells the evictions that are marked.
-- ARGV: session
sweep()
local id = ARGV[1]
local ttl = redis.call('HGET', session_key(id), 'ttl')
if not ttl or overdue('s:' .. id) then
  return { 'lost' }
end
live(id, ttl)
local told = { 'ok' }
for _, member in ipairs(redis.call('SMEMBERS', marks_key(id))) do
  local place, name = string.sub(member, 1, 32), string.sub(member, 34)
  here(line_key(name))
  local mark = redis.call('HGET', line_key(name), 'mark:' .. place)
  if mark then
    told[#told + 1] = { name, place, mark }
  else -- the place is gone
    redis.call('SREM', marks_key(id), member)
  end
end
return told
