-- What it takes to give back a lock that nobody else waits for. This, and what it takes to
-- get a free one, is defined first, and the rest only when it is wanted: to define it all takes
-- longer than to run this.

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
