package main

import "testing"

// BenchmarkRedisFree has one goroutine take a lock that nobody wants and give it back. There
// is nothing to tune in that.
func BenchmarkRedisFree(b *testing.B) {
	const warm, rounds = 100, 2_000
	s, all, lockers := startRedis(b), make(accounts), make(map[string]locker)
	for _, name := range []string{
		redisHoldgate, redisOnlyDriver, redisLock, redisSync, redisRueidis, redisRueidisTuned, redisNothing,
	} {
		lockers[name] = openLocker(b, name, s.endpoint)
	}
	for range b.N {
		inTurn(b, all, lockers, warm, rounds)
	}
	billInTurn(b, all, s, lockers, 8, 200)
	all.report(b)
	all.ratio("rate", redisHoldgate, redisLock).report(b, "client/redislock")
	all.ratio("rate", redisOnlyDriver, redisLock).report(b, "driver/redislock")
	fastest := all.most("rate", redisLock, redisSync, redisRueidis, redisRueidisTuned)
	all.ratio("rate", redisHoldgate, fastest).report(b, "client/best")
}
