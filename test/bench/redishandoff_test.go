package main

import "testing"

// BenchmarkRedisHandOff has four processes with 16 goroutines each take one lock over and
// over, as fast as it goes.
func BenchmarkRedisHandOff(b *testing.B) {
	all := handOffs(b, startRedis(b), 1, 8, map[string]int{
		redisHoldgate: 1_000, redisLockTuned: 20, redisSyncTuned: 20, redisRueidis: 10, redisRueidisTuned: 40,
	})
	best := all.most("rate", redisLockTuned, redisSyncTuned, redisRueidis, redisRueidisTuned)
	all.ratio("rate", redisHoldgate, best).report(b, "rate/peer")
}
