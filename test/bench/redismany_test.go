package main

import "testing"

// BenchmarkRedisMany has 64 goroutines of one process take a lock each, which nobody else
// wants, over and over: with each product in turn, some rounds.
func BenchmarkRedisMany(b *testing.B) {
	all := manyLocks(b, startRedis(b), crowd{64, 40, 30, 1}, append(redisPeers(), redisHoldgate)...)
	all.ratio("rate", redisHoldgate, all.most("rate", redisLock, redisSync)).report(b, "rate/go-redis")
	all.ratio("rate", redisHoldgate, all.most("rate", redisLockTuned, redisSyncTuned)).report(b, "rate/pipelined")
	all.ratio("rate", redisHoldgate, all.most("rate", redisRueidis, redisRueidisTuned)).report(b, "rate/rueidislock")
}
