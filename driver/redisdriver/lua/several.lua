-- Takes locks that are free, and gives back locks that nobody else waits for, as freeenter.lua
-- and freeleave.lua do: several of one session at once, each in another line. So they may have
-- one order. To what is not so simple the answer is false: nothing was done, and it is to
-- be asked for by itself. What is forbidden for one line is no matter of the others.
-- ARGV: session, how many claims, claims as in claim.lua, then line and place of each to leave
local call, try = redis.call, redis.pcall
local session, claims = ARGV[1], tonumber(ARGV[2])
local lines, places = root .. 'lines', root .. 'places:' .. session
local answers, changed = {}, {}

-- The claims that meet a free line, by where they begin in ARGV.
local function free_claims()
  local fields = { 'ends' }
  for i = 1, claims do
    fields[i + 1] = 'left:' .. ARGV[6 * i - 2]
  end
  local at, found = call('HMGET', root .. 'session:' .. session, unpack(fields)), {}
  local lives = at[1] and now < tonumber(at[1])
  for i = 1, claims do
    answers[i] = false
    if lives and not at[i + 1] and try('EXISTS', root .. 'line:' .. ARGV[6 * i - 3]) == 0 then
      found[#found + 1] = i
    end
  end
  return found
end

-- See begin_line in claim.lua.
local function take(found)
  local order, names, members = next_order(), {}, {}
  for _, i in ipairs(found) do
    local a = 6 * i - 3
    local name, id = ARGV[a], ARGV[a + 1]
    local line = root .. 'line:' .. name
    local made = try('HSET', line, 'kind', ARGV[a + 2], 'capacity', ARGV[a + 3], 'held', ARGV[a + 4],
      'only', id, id, ARGV[a + 4] .. ' 1 ' .. order .. ' ' .. session .. ' ' .. ARGV[a + 5])
    if type(made) == 'table' then
      answers[i] = made
    else
      names[#names + 1] = 0
      names[#names + 1] = name
      members[#members + 1] = id .. ' ' .. name
      answers[i] = order
      changed[i] = line
    end
  end
  if #members > 0 then
    call('ZADD', lines, unpack(names))
    call('SADD', places, unpack(members))
  end
end

-- See end_line in place.lua.
local function give_back()
  local names, members = {}, {}
  for a = 6 * claims + 3, #ARGV, 2 do
    local name, id = ARGV[a], ARGV[a + 1]
    local line = root .. 'line:' .. name
    local at, answer = try('HMGET', line, 'only', id), false
    if at[1] == id and string.match(at[2], '^%d+ %d+ %d+ (%x+)') == session then
      answer = try('DEL', line)
      if answer == 1 then
        names[#names + 1] = name
        members[#members + 1] = id .. ' ' .. name
        changed[#answers + 1] = line
      end
    end
    answers[#answers + 1] = answer
  end
  if #members > 0 then
    call('ZREM', lines, unpack(names))
    call('SREM', places, unpack(members))
  end
end

local found = free_claims()
if #found > 0 then
  take(found)
end
give_back()
for i, line in pairs(changed) do
  local told = try('PUBLISH', line, '')
  if type(told) == 'table' then
    answers[i] = told
  end
end
return answers
