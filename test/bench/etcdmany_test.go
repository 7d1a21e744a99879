package main

import (
	"strconv"
	"testing"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// BenchmarkEtcdMany has many goroutines of one process take a lock each, which nobody else
// wants, over and over: with each product in turn, some rounds. The peer has a session for
// each goroutine, or one for all: the faster of the two counts.
func BenchmarkEtcdMany(b *testing.B) {
	const rounds = 15
	for _, crowd := range []struct{ goroutines, cycles int }{{64, 20}, {1024, 3}} {
		b.Run(strconv.Itoa(crowd.goroutines), func(b *testing.B) {
			endpoint := etcdserver.Start(b, 1).Members[0].Endpoint()
			names, lockers := []string{holdgateClient, peerMutex, peerFronted}, make(map[string][]locker)
			for _, name := range names {
				lockers[name] = ownLockers(b, name, endpoint, crowd.goroutines)
			}
			rates := make(map[string][]float64)
			for range b.N {
				for round := range 1 + rounds { // the first makes keys and connections
					for _, name := range names {
						rate := atOnce(b, lockers[name], crowd.cycles)
						if round > 0 {
							rates[name] = append(rates[name], rate)
						}
					}
				}
			}
			ratioOfMedians(rates[holdgateClient], rates[most(rates, peerMutex, peerFronted)]).report(b, "rate/peer")
			b.ReportMetric(quantile(rates[holdgateClient], 0.5), "ours/s")
			b.ReportMetric(quantile(rates[peerMutex], 0.5), "peer/s")
			b.ReportMetric(quantile(rates[peerFronted], 0.5), "one-session/s")
		})
	}
}
