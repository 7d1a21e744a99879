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
	s, all := zkStore(b, server), make(accounts)
	for opening := range openings * b.N { // a connection is a little faster or slower than another for as long as it lives
		lockers := make(map[string]locker)
		for _, name := range []string{zkHoldgate, zkOnlyDriver, zkLock, zkTwoWrites} {
			lockers[name] = openLocker(b, name, server.Address())
		}
		inTurn(b, all, lockers, warm, rounds)
		if opening < 2 {
			billInTurn(b, all, s, lockers, 4, 50)
		}
	}
	all.report(b)
	all.ratio("rate", zkHoldgate, zkLock).report(b, "client/peer")
	all.ratio("rate", zkHoldgate, zkTwoWrites).report(b, "client/raw")
	all.ratio("rate", zkOnlyDriver, zkTwoWrites).report(b, "driver/raw")
	all.ratio("rate", zkTwoWrites, zkLock).report(b, "raw/peer")
}
