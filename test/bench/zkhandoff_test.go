package main

import (
	"testing"
	"time"
)

// BenchmarkZooKeeperHandOff has four processes with 16 goroutines each take one lock over
// and over, as fast as the default options let them, and then hold it a while each time.
func BenchmarkZooKeeperHandOff(b *testing.B) {
	const processes, goroutines, rounds = 4, 16, 8
	// What is faster takes the lock more often, so that all take about as long.
	cycles := map[string]int{zkHoldgate: 400, zkLock: 4}
	endpoint := startZK(b).Address()
	c := startCrew(b, endpoint, processes, goroutines, zkHoldgate, zkLock)
	rates := make(map[string][]float64)
	for range b.N {
		for round := range 2 + rounds { // the first open sessions, and warm the server
			for product, n := range cycles {
				t := c.turn(b, product, n)
				if round > 1 {
					rates[product] = append(rates[product], t.rate())
				}
			}
		}
	}
	reportMedians(b, rates, "/s")
	ratioOfMedians(rates[zkHoldgate], rates[zkLock]).report(b, "rate/peer")
	zkFairness(b, endpoint, processes, goroutines)
}

// zkFairness reports how evenly the processes share the lock, and how long somebody waited.
func zkFairness(b *testing.B, endpoint string, processes, goroutines int) {
	b.Helper()
	const hold, bouts, length = 2 * time.Millisecond, 3, 3 * time.Second
	c := startContest(b, endpoint, processes, goroutines, hold, zkHoldgate)
	jain, worst := 1.0, time.Duration(0)
	for range bouts {
		t := c.bout(b, zkHoldgate, length)
		jain, worst = min(jain, t.jain), max(worst, t.worst)
	}
	b.ReportMetric(jain, "jain")
	b.ReportMetric(float64(worst), "worst-ns")
}
