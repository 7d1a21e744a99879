-- All keys begin with the same root, which has the hash tag, so that one primary has them
-- all. KEYS names what a script touches, for a cluster to check that it is here; the scripts
-- build the names themselves.
local root = string.sub(KEYS[1], 1, -#'deadlines' - 1)
