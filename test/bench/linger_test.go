package main

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// BenchmarkEtcdLinger has one goroutine take a lock over and over that its process keeps for a
// moment after each release.
func BenchmarkEtcdLinger(b *testing.B) {
	const warm, rounds, cycles = 100, 20, 5_000
	s, all := startEtcd(b), make(accounts)
	c, err := newEtcdClient(seat{Endpoint: s.endpoint}, &holdgate.Options{TTL: etcdTTL, Linger: holdgate.MaxLinger})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.close() }) // the server is about to end
	l, w, a := &clientLocker{mutex: c.client.Mutex("lingers")}, ownWitness(b), all.of("etcd/holdgate-linger")
	for range warm {
		cycle(b, l, w)
	}
	for range b.N * rounds {
		waits, took := make([]float64, 0, cycles), make([]float64, 0, cycles)
		a.bill(s.costOf(b, func() {
			for range cycles {
				waited, both := cycle(b, l, w)
				waits, took = append(waits, float64(waited)), append(took, float64(both))
			}
		}), cycles)
		a.sample("wait", waits...)
		a.sample("cycle", took...)
		a.round("rate", float64(time.Second)/quantile(took, 0.5))
	}
	all.report(b)
	reportQuantile(b, "relock-ns", a.each["wait"], 0.5)
	reportLargest(b, a, "commits")
}
