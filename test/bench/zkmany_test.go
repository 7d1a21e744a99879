package main

import "testing"

// BenchmarkZooKeeperMany has 64 goroutines of one process take a lock each, which nobody
// else wants, over and over: with each product in turn, some rounds.
func BenchmarkZooKeeperMany(b *testing.B) {
	all := manyLocks(b, startZKStore(b), crowd{64, 10, 25, 10}, zkHoldgate, zkLock)
	all.ratio("rate", zkHoldgate, zkLock).report(b, "rate/peer")
}
