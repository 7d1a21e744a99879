package main

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkRedisContest has four processes with 16 goroutines each want one lock, and hold it
// for 2 ms each time: with each product in turn, some seconds each.
func BenchmarkRedisContest(b *testing.B) {
	all := contend4x16(b, startRedis(b), 4, append(redisPeers(), redisHoldgate)...)
	all.ratio("rate", redisHoldgate, all.most("rate", redisPeers()...)).report(b, "rate/peer")
	all.ratio("round-worst-ns", redisHoldgate, all.least("round-worst-ns", redisPeers()...)).report(b, "worst/peer")
	b.ReportMetric(slices.Min(all.of(redisHoldgate).rounds["jain"]), "jain")
}

// BenchmarkEtcdContest does so on etcd.
func BenchmarkEtcdContest(b *testing.B) {
	all := contend4x16(b, startEtcd(b), 4, holdgateClient, peerMutex)
	b.ReportMetric(slices.Min(all.of(holdgateClient).rounds["jain"]), "jain")
}

// BenchmarkZooKeeperContest does so on ZooKeeper.
func BenchmarkZooKeeperContest(b *testing.B) {
	all := contend4x16(b, startZKStore(b), 4, zkHoldgate, zkLock)
	b.ReportMetric(slices.Min(all.of(zkHoldgate).rounds["jain"]), "jain")
}

// contend4x16 has four processes with 16 goroutines each want one lock, and hold it for 2 ms
// each time: with each product in turn, some rounds.
func contend4x16(b *testing.B, s store, rounds int, products ...string) accounts {
	b.Helper()
	const (
		processes, goroutines = 4, 16
		hold, length          = 2 * time.Millisecond, 1500 * time.Millisecond
	)
	c, all := startContest(b, s, processes, goroutines, hold, products...), make(accounts)
	for range b.N {
		for _, product := range products { // opens what is opened by use
			c.bout(b, make(accounts), product, length/4)
		}
		for range rounds {
			for _, product := range products {
				c.bout(b, all, product, length)
			}
		}
	}
	all.report(b)
	return all
}
