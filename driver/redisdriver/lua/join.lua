local function mismatches(c)
  return c.line_kind and (c.line_kind ~= c.kind or c.line_capacity ~= c.capacity)
end

local function fits(c)
  if c.units == '0' or not c.line_kind then
    return true
  end
  return c.held + c.units <= tonumber(c.capacity) and redis.call('EXISTS', waiting_key(c.name)) == 0
end

-- Begins the order of a line with what was its only place.
local function begin_order(c)
  local _, _, order = parse(redis.call('HGET', line_key(c.name), c.only))
  redis.call('ZADD', order_key(c.name), order, c.only)
  redis.call('HDEL', line_key(c.name), 'only')
end

-- Puts a place at the end of its line, which look_at has read.
local function join(c, session)
  if not c.line_kind then
    begin_line(c, session)
    return
  elseif c.only then
    begin_order(c)
  end
  c.order, c.granted = next_order(), fits(c)
  redis.call('HSET', line_key(c.name), c.id, record_of(c, session))
  redis.call('ZADD', order_key(c.name), c.order, c.id)
  redis.call('SADD', places_key(session), c.id .. ' ' .. c.name)
  if c.granted then
    redis.call('HINCRBY', line_key(c.name), 'held', c.units)
  else
    redis.call('ZADD', waiting_key(c.name), c.order, c.id)
  end
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
  local order, line = order_key(name), line_key(name)
  local head = redis.call('ZRANGE', order, 0, 0)[1] or redis.call('HGET', line, 'only')
  return { 'busy', math.max(redis.call('ZCARD', order), 1), name, show_one(name, head) }
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
