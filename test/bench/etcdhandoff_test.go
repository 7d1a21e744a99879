package main

import "testing"

// BenchmarkEtcdHandOff has four processes with 16 goroutines each take one lock over and
// over, as fast as the default options let them.
func BenchmarkEtcdHandOff(b *testing.B) {
	all := handOffs(b, startEtcd(b), 1, 8, map[string]int{holdgateClient: 400, peerMutex: 2, peerFronted: 1})
	all.ratio("rate", holdgateClient, peerMutex).report(b, "rate/peer")
	all.ratio("rate", holdgateClient, peerFronted).report(b, "rate/fronted")
}
