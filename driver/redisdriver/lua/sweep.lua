-- How much one script removes at most of what has expired, so that no script takes long.
local batch = 100

-- Whether nothing is left that has expired.
local swept = true

-- A slot that is being moved has some of its keys elsewhere already. Then this fails,
-- before anything was written about these keys.
local function here(...)
  redis.call('EXISTS', ...)
end

-- Ends a session for good: it never comes back, also if the clock is set back before all
-- its places are gone. Returns how many places it removed, at most limit.
local function end_session(id, limit)
  here(session_key(id), places_key(id), marks_key(id))
  if redis.call('DEL', session_key(id), marks_key(id)) > 0 then
    redis.call('ZADD', deadlines, 0, 's:' .. id)
    redis.call('PUBLISH', session_key(id), 'lost')
  end
  local places = redis.call('SRANDMEMBER', places_key(id), limit)
  for _, member in ipairs(places) do
    local place, name = string.sub(member, 1, 32), string.sub(member, 34)
    here(line_key(name), order_key(name), waiting_key(name))
    local record = redis.call('HGET', line_key(name), place)
    if record then
      remove(name, place, record)
    else -- somebody deleted the line's keys
      redis.call('SREM', places_key(id), member)
    end
  end
  if redis.call('EXISTS', places_key(id)) == 0 then
    redis.call('ZREM', deadlines, 's:' .. id)
  end
  return #places
end

local function end_entry(key)
  here(entry_key(key), entries)
  redis.call('DEL', entry_key(key))
  redis.call('ZREM', entries, key)
  redis.call('ZREM', deadlines, 'k:' .. key)
  redis.call('PUBLISH', entry_key(key), '')
end

-- Removes what has expired. A script does this before it grants, or shows, what may hang on a
-- session that is over.
local function sweep()
  local due = redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'LIMIT', 0, batch)
  local left = batch
  for _, what in ipairs(due) do
    if left <= 0 then
      break
    end
    local name = string.sub(what, 3)
    if string.sub(what, 1, 2) == 's:' then
      left = left - math.max(end_session(name, left), 1)
    else
      end_entry(name)
      left = left - 1
    end
  end
  swept = left > 0 and #due < batch
end

-- Whether this has expired though the sweep did not get to it.
local function overdue(what)
  if swept then
    return false
  end
  local at = redis.call('ZSCORE', deadlines, what)
  return at and tonumber(at) <= now
end

local function alive(id)
  return redis.call('EXISTS', session_key(id)) == 1 and not overdue('s:' .. id)
end
