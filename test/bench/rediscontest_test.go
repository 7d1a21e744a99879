package main

import (
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/redisserver"
)

// BenchmarkRedisContest has four processes with 16 goroutines each want one lock, and hold it
// for 2 ms each time: with each product in turn, some seconds each.
func BenchmarkRedisContest(b *testing.B) {
	const (
		processes, goroutines, rounds = 4, 16, 5
		hold, length                  = 2 * time.Millisecond, 2 * time.Second
	)
	endpoint, names := redisserver.Start(b, redisserver.Options{}).Address(), append(redisPeers(), redisHoldgate)
	c := startContest(b, endpoint, processes, goroutines, hold, names...)
	rates, worsts, jains := make(map[string][]float64), make(map[string][]float64), make(map[string][]float64)
	for range b.N {
		for round := range 1 + rounds { // the first makes connections
			for _, name := range names {
				t := c.bout(b, name, length)
				if round > 0 {
					rates[name] = append(rates[name], t.rate)
					worsts[name] = append(worsts[name], float64(t.worst))
					jains[name] = append(jains[name], t.jain)
				}
			}
		}
	}
	reportMedians(b, rates, "/s")
	reportMedians(b, worsts, "-worst-ns")
	reportMedians(b, jains, "-jain")
	ratioOfMedians(rates[redisHoldgate], rates[most(rates, redisPeers()...)]).report(b, "rate/peer")
	ratioOfMedians(worsts[redisHoldgate], worsts[least(worsts, redisPeers()...)]).report(b, "worst/peer")
	b.ReportMetric(slices.Min(jains[redisHoldgate]), "jain")
}
