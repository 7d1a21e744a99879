package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/redisserver"
)

// BenchmarkRedisHandOff has four processes with 16 goroutines each take one lock over and
// over, as fast as it goes.
func BenchmarkRedisHandOff(b *testing.B) {
	const processes, goroutines, rounds = 4, 16, 8
	// What is faster takes the lock more often, so that all take about as long.
	cycles := map[string]int{redisHoldgate: 1_000, redisLockTuned: 20, redisSyncTuned: 20, redisRueidisTuned: 100}
	endpoint := redisserver.Start(b, redisserver.Options{}).Address()
	c := startCrew(b, endpoint, processes, goroutines, redisHoldgate, redisLockTuned, redisSyncTuned, redisRueidisTuned)
	rates := make(map[string][]float64)
	for range b.N {
		for round := range 1 + rounds { // the first makes connections
			for product, n := range cycles {
				t := c.turn(b, product, n)
				if round > 0 {
					rates[product] = append(rates[product], t.rate())
				}
			}
		}
	}
	reportMedians(b, rates, "/s")
	ratioOfMedians(rates[redisHoldgate], rates[most(rates, redisLockTuned, redisSyncTuned, redisRueidisTuned)]).report(b, "rate/peer")
}
