package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// BenchmarkEtcdHandOff has four processes with 16 goroutines each take one lock over and
// over, as fast as the default options let them.
func BenchmarkEtcdHandOff(b *testing.B) {
	const processes, goroutines, rounds = 4, 16, 8
	// What is faster takes the lock more often, so that all take about as long.
	cycles := map[string]int{holdgateClient: 400, peerMutex: 2, peerFronted: 1}
	endpoint := etcdserver.Start(b, 1).Members[0].Endpoint()
	c := startCrew(b, endpoint, processes, goroutines, holdgateClient, peerMutex, peerFronted)
	rates := make(map[string][]float64)
	for range b.N {
		for round := range 1 + rounds { // the first lays the watches
			for product, n := range cycles {
				t := c.turn(b, product, n)
				if round > 0 {
					rates[product] = append(rates[product], t.rate())
				}
			}
		}
	}
	ratioOfMedians(rates[holdgateClient], rates[peerMutex]).report(b, "rate/peer")
	ratioOfMedians(rates[holdgateClient], rates[peerFronted]).report(b, "rate/fronted")
	b.ReportMetric(quantile(rates[holdgateClient], 0.5), "ours/s")
	b.ReportMetric(quantile(rates[peerMutex], 0.5), "peer/s")
	b.ReportMetric(quantile(rates[peerFronted], 0.5), "fronted/s")
}
