-- Reads a claim from ARGV.
local function claim_at(i)
  return {
    name = ARGV[i],
    id = ARGV[i + 1],
    kind = ARGV[i + 2],
    capacity = ARGV[i + 3],
    units = ARGV[i + 4],
    data = ARGV[i + 5],
  }
end

-- What decides about a claim: its own record if it stands, and the line.
local function look_at(c)
  local at = redis.call('HMGET', line_key(c.name), c.id, 'kind', 'capacity', 'held')
  c.record, c.line_kind, c.line_capacity, c.held = at[1], at[2], at[3], at[4]
end

local function mismatches(c)
  return c.line_kind and (c.line_kind ~= c.kind or c.line_capacity ~= c.capacity)
end

local function fits(c)
  if c.units == '0' or not c.line_kind then
    return true
  end
  return c.held + c.units <= tonumber(c.capacity) and redis.call('EXISTS', waiting_key(c.name)) == 0
end

-- Puts a place at the end of its line, which look_at has read.
local function join(c, session)
  local order, line = next_order(), line_key(c.name)
  local record = c.units .. ' 1 ' .. order .. ' ' .. session .. ' ' .. c.data
  c.granted = fits(c)
  if not c.line_kind then
    redis.call('HSET', line, 'kind', c.kind, 'capacity', c.capacity, 'held', c.units, c.id, record)
    redis.call('ZADD', lines, 0, c.name)
  else
    redis.call('HSET', line, c.id, record)
    if c.granted then
      redis.call('HINCRBY', line, 'held', c.units)
    else
      redis.call('ZADD', waiting_key(c.name), order, c.id)
    end
  end
  redis.call('ZADD', order_key(c.name), order, c.id)
  redis.call('SADD', places_key(session), c.id .. ' ' .. c.name)
  c.order = order
end

-- A place that has just joined, or stood already.
local function answer(c)
  if c.order then
    return { c.granted and 'granted' or 'waiting', c.order }
  end
  local waits = redis.call('ZSCORE', waiting_key(c.name), c.id)
  return { waits and 'waiting' or 'granted', '', show_one(c.name, c.id) }
end

local function busy(name)
  local order = order_key(name)
  local head = redis.call('ZRANGE', order, 0, 0)[1]
  return { 'busy', redis.call('ZCARD', order), name, show_one(name, head) }
end

local function mismatch(c)
  return { 'mismatch', c.name, c.line_kind, c.line_capacity }
end

-- Why a claim cannot be taken up at all: its session is over, it was left before it came,
-- or another session has the ID.
local function refusal(c, session)
  local at = redis.call('HMGET', session_key(session), 'ttl', 'left:' .. c.id)
  if not at[1] or overdue('s:' .. session) then
    return { 'lost' }
  elseif at[2] then
    return { 'gone' }
  end
  if c.record then
    local _, of = units_and_session(c.record)
    if of ~= session then
      return { 'taken' }
    end
  end
end
