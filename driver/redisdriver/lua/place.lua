-- The record of a place is "units version order session data".
local function units_and_session(record)
  return string.match(record, '^(%d+) %d+ %d+ (%x+)')
end

-- Tells who watches the line.
local function changed(name)
  redis.call('PUBLISH', line_key(name), '')
end

-- Removes the last place of a line, and the line with it.
local function end_line(name, id, session)
  redis.call('DEL', line_key(name), order_key(name))
  redis.call('ZREM', lines, name)
  redis.call('SREM', places_key(session), id .. ' ' .. name)
end

local function parse(record)
  return string.match(record, '^(%d+) (%d+) (%d+) (%x+) (.*)$')
end

-- Grants what fits now. The places that wait are in order, and the first of them stands
-- behind all that is held.
local function settle(name)
  local line, waiting = line_key(name), waiting_key(name)
  local first = redis.call('ZRANGE', waiting, 0, 0)[1]
  while first do
    local at = redis.call('HMGET', line, 'capacity', 'held', first)
    local units, session = units_and_session(at[3])
    if at[2] + units > tonumber(at[1]) then
      return
    end
    redis.call('HINCRBY', line, 'held', units)
    redis.call('ZREM', waiting, first)
    redis.call('PUBLISH', session_key(session), 'granted ' .. first)
    first = redis.call('ZRANGE', waiting, 0, 0)[1]
  end
end

-- Takes a place out of its line, and leaves it to the caller to settle.
local function unlink(name, id, record)
  local units, session = units_and_session(record)
  if redis.call('ZREM', waiting_key(name), id) == 0 and units ~= '0' then
    redis.call('HINCRBY', line_key(name), 'held', -units)
  end
  redis.call('ZREM', order_key(name), id)
  redis.call('HDEL', line_key(name), id, 'mark:' .. id)
  redis.call('SREM', places_key(session), id .. ' ' .. name)
end

-- Takes a place out of its line, which may go on without it: false when it was the last.
local function take_out(name, id, record)
  if redis.call('ZCARD', order_key(name)) > 1 then
    unlink(name, id, record)
    return true
  end
  local _, session = units_and_session(record)
  end_line(name, id, session)
  return false
end

local function remove(name, id, record)
  if take_out(name, id, record) then
    settle(name)
  end
  changed(name)
end
