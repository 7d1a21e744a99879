package main

import "testing"

// BenchmarkZooKeeperHandOff has four processes with 16 goroutines each take one lock over
// and over, as fast as the default options let them.
func BenchmarkZooKeeperHandOff(b *testing.B) {
	all := handOffs(b, startZKStore(b), 2, 8, map[string]int{zkHoldgate: 400, zkLock: 4})
	all.ratio("rate", zkHoldgate, zkLock).report(b, "rate/peer")
}
