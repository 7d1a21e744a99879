package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// BenchmarkEtcdFree has one goroutine take a lock that nobody wants and give it back,
// with each product in turn, one operation each. It reports speeds as shares of others.
func BenchmarkEtcdFree(b *testing.B) {
	const openings, rounds, warm = 8, 250, 30
	endpoint := etcdserver.Start(b, 1).Members[0].Endpoint()
	names := []string{holdgateClient, holdgateDriver, peerMutex, rawTxns}
	w, err := openWitness(filepath.Join(b.TempDir(), "witness"))
	if err != nil {
		b.Fatal(err)
	}
	took := make(map[string][]float64)
	for range openings * b.N { // a connection is a little faster or slower than another for as long as it lives
		lockers := make(map[string]locker)
		for _, i := range rand.Perm(len(names)) {
			lockers[names[i]] = openLocker(b, names[i], endpoint)
		}
		for round := range warm + rounds {
			for _, i := range rand.Perm(len(names)) { // nobody always comes after the same one
				t := cycle(b, lockers[names[i]], w)
				if round >= warm {
					took[names[i]] = append(took[names[i]], float64(t))
				}
			}
		}
	}
	for name, unit := range map[string]string{holdgateClient: "client", holdgateDriver: "driver", peerMutex: "peer", rawTxns: "raw"} {
		b.ReportMetric(quantile(append([]float64(nil), took[name]...), 0.5), unit+"-ns")
	}
	ratioOfMedians(took[rawTxns], took[holdgateDriver]).report(b, "driver/raw")
	ratioOfMedians(took[peerMutex], took[holdgateDriver]).report(b, "driver/peer")
	ratioOfMedians(took[rawTxns], took[holdgateClient]).report(b, "client/raw")
	ratioOfMedians(took[peerMutex], took[holdgateClient]).report(b, "client/peer")
}

// openLocker opens a product in this process, for the length of the benchmark.
func openLocker(b *testing.B, product, endpoint string) locker {
	b.Helper()
	p, err := products()[product](b.Context(), seat{Endpoint: endpoint, Of: 1})
	if err != nil {
		b.Fatalf("%s: %v", product, err)
	}
	b.Cleanup(func() { _ = p.close() }) // the server is about to end
	l, err := p.locker(b.Context())
	if err != nil {
		b.Fatalf("%s: %v", product, err)
	}
	return l
}

// cycle returns how long it takes to lock and to unlock.
func cycle(b *testing.B, l locker, w witness) time.Duration {
	b.Helper()
	begun := time.Now()
	if err := l.lock(b.Context()); err != nil {
		b.Fatal(err)
	}
	locked := time.Since(begun)
	w.pass()
	begun = time.Now()
	if err := l.unlock(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
	return locked + time.Since(begun)
}
