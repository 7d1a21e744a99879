-- A place as clients read it: id, record, mark, owner, ttl, kind, capacity.
local function show(id, record, mark, kind, capacity)
  local _, session = units_and_session(record)
  local at = redis.call('HMGET', session_key(session), 'owner', 'ttl')
  return { id, record, mark or '', at[1] or '', at[2] or '0', kind, capacity }
end

local function show_one(name, id)
  local at = redis.call('HMGET', line_key(name), id, 'mark:' .. id, 'kind', 'capacity')
  return show(id, at[1], at[2], at[3], at[4])
end

-- A whole line: its name, then its places in no order.
local function show_line(name)
  local fields, at = redis.call('HGETALL', line_key(name)), {}
  for i = 1, #fields, 2 do
    at[fields[i]] = fields[i + 1]
  end
  local shown = { name }
  for id, record in pairs(at) do
    if #id == 32 then -- the other fields are not as long as an ID
      shown[#shown + 1] = show(id, record, at['mark:' .. id], at.kind, at.capacity)
    end
  end
  return shown
end
