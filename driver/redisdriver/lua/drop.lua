-- Deletes a key that is ours, unless it is what we want it to be already.
-- KEYS: key. ARGV: value, the wanted one or ''
local has = redis.call('GET', KEYS[1])
if not has then
  return { 'gone' }
elseif has == ARGV[2] then
  return { 'granted' }
elseif has ~= ARGV[1] then
  return { 'gone' }
end
redis.call('DEL', KEYS[1])
return { 'ok' }
