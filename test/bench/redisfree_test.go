package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/redisserver"
)

// BenchmarkRedisFree has one goroutine take a lock that nobody wants and give it back. There
// is nothing to tune in that.
func BenchmarkRedisFree(b *testing.B) {
	const warm, rounds = 100, 2_000
	endpoint := redisserver.Start(b, redisserver.Options{}).Address()
	lockers := make(map[string]locker)
	for _, name := range []string{
		redisHoldgate, redisOnlyDriver, redisLock, redisSync, redisRueidis, redisRueidisTuned, redisNothing,
	} {
		lockers[name] = openLocker(b, name, endpoint)
	}
	var took map[string][]float64
	for range b.N {
		took = inTurn(b, lockers, warm, rounds)
	}
	reportMedians(b, took, "-ns")
	ratioOfMedians(took[redisLock], took[redisHoldgate]).report(b, "client/redislock")
	ratioOfMedians(took[redisLock], took[redisOnlyDriver]).report(b, "driver/redislock")
	fastest := least(took, redisLock, redisSync, redisRueidis, redisRueidisTuned)
	ratioOfMedians(took[fastest], took[redisHoldgate]).report(b, "client/best")
}
