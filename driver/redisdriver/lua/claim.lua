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
  local at = redis.call('HMGET', line_key(c.name), c.id, 'kind', 'capacity', 'held', 'only')
  c.record, c.line_kind, c.line_capacity, c.held, c.only = at[1], at[2], at[3], at[4], at[5]
end

-- What is kept of a place, see place.lua. Its version is the first.
local function record_of(c, session)
  return c.units .. ' 1 ' .. c.order .. ' ' .. session .. ' ' .. c.data
end

-- Begins a line with its first place. Most never have a second one, so that this one is
-- named in the field 'only', and the order of places begins with the next.
local function begin_line(c, session)
  c.order, c.granted = next_order(), true
  redis.call('HSET', line_key(c.name), 'kind', c.kind, 'capacity', c.capacity, 'held', c.units,
    'only', c.id, c.id, record_of(c, session))
  redis.call('ZADD', lines, 0, c.name)
  redis.call('SADD', places_key(session), c.id .. ' ' .. c.name)
end
