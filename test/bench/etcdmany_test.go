package main

import (
	"strconv"
	"testing"
)

// BenchmarkEtcdMany has many goroutines of one process take a lock each, which nobody else
// wants, over and over: with each product in turn, some rounds. The peer has a session for
// each goroutine, or one for all: the faster of the two counts.
func BenchmarkEtcdMany(b *testing.B) {
	for _, c := range []crowd{{64, 20, 15, 1}, {1024, 3, 15, 1}} {
		b.Run(strconv.Itoa(c.goroutines), func(b *testing.B) {
			all := manyLocks(b, startEtcd(b), c, holdgateClient, peerMutex, peerFronted)
			all.ratio("rate", holdgateClient, all.most("rate", peerMutex, peerFronted)).report(b, "rate/peer")
		})
	}
}
