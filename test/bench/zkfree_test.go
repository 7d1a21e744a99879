package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/zkserver"
)

// BenchmarkZooKeeperFree has one goroutine take a lock that nobody wants and give it back.
func BenchmarkZooKeeperFree(b *testing.B) { zkFree(b, startZK(b)) }

// BenchmarkZooKeeperFreeUnsynced is the same on a server that leaves the disk to the
// system, as if it had one that takes no time: what is left are the requests.
func BenchmarkZooKeeperFreeUnsynced(b *testing.B) {
	zkFree(b, startZK(b, "-Dzookeeper.forceSync=no"))
}

func zkFree(b *testing.B, server *zkserver.Server) {
	b.Helper()
	const openings, rounds, warm = 8, 250, 100 // the server's Java compiles what runs often
	names := []string{zkHoldgate, zkOnlyDriver, zkLock, zkTwoWrites}
	took := make(map[string][]float64)
	for range openings * b.N { // a connection is a little faster or slower than another for as long as it lives
		lockers := make(map[string]locker)
		for _, name := range names {
			lockers[name] = openLocker(b, name, server.Address())
		}
		for name, times := range inTurn(b, lockers, warm, rounds) {
			took[name] = append(took[name], times...)
		}
	}
	reportMedians(b, took, "-ns")
	ratioOfMedians(took[zkLock], took[zkHoldgate]).report(b, "client/peer")
	ratioOfMedians(took[zkTwoWrites], took[zkHoldgate]).report(b, "client/raw")
	ratioOfMedians(took[zkTwoWrites], took[zkOnlyDriver]).report(b, "driver/raw")
	ratioOfMedians(took[zkLock], took[zkTwoWrites]).report(b, "raw/peer")
}
