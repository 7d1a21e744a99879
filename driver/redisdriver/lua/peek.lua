-- What a key has.
-- KEYS: key
return { redis.call('GET', KEYS[1]) or '', redis.call('EXISTS', KEYS[1]) }
