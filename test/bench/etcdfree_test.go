package main

import "testing"

// BenchmarkEtcdFree has one goroutine take a lock that nobody wants and give it back,
// with each product in turn, one operation each. It reports speeds as shares of others.
func BenchmarkEtcdFree(b *testing.B) {
	const openings, rounds, warm = 8, 250, 30
	s, all := startEtcd(b), make(accounts)
	for opening := range openings * b.N { // a connection is a little faster or slower than another for as long as it lives
		lockers := make(map[string]locker)
		for _, name := range []string{holdgateClient, holdgateDriver, peerMutex, rawTxns} {
			lockers[name] = openLocker(b, name, s.endpoint)
		}
		inTurn(b, all, lockers, warm, rounds)
		if opening < 2 {
			billInTurn(b, all, s, lockers, 4, 50)
		}
	}
	all.report(b)
	all.ratio("rate", holdgateDriver, rawTxns).report(b, "driver/raw")
	all.ratio("rate", holdgateDriver, peerMutex).report(b, "driver/peer")
	all.ratio("rate", holdgateClient, rawTxns).report(b, "client/raw")
	all.ratio("rate", holdgateClient, peerMutex).report(b, "client/peer")
}
