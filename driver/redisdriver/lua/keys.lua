-- What each key is for. See root.lua.
local deadlines = root .. 'deadlines' -- by time: when a session or an entry ends
local lines = root .. 'lines' -- the names of all lines somebody stands in
local entries = root .. 'entries' -- the keys of all entries

-- What a session is: owner, ttl, when it ends. While this key is there the session lives.
local function session_key(id) return root .. 'session:' .. id end
-- Where it stands: "<place> <line>".
local function places_key(id) return root .. 'places:' .. id end
-- Which of those are marked; some may be gone by now.
local function marks_key(id) return root .. 'marks:' .. id end
-- A line: kind, capacity, the units held, its place if it has one only, each place's record, each
-- mark.
local function line_key(name) return root .. 'line:' .. name end
-- Its places by order, once there were two.
local function order_key(name) return root .. 'order:' .. name end
-- Those of them that do not fit yet.
local function waiting_key(name) return root .. 'waiting:' .. name end
-- An entry of the map: value and version.
local function entry_key(key) return root .. 'entry:' .. key end
