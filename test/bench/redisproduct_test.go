package main

import (
	"time"

	"github.com/holdgate/holdgate"
)

// The products on Redis, by name.
const (
	redisHoldgate     = "redis/holdgate"
	redisStrict       = "redis/holdgate-strict"
	redisOnlyDriver   = "redis/driver"
	redisLock         = "redis/redislock"
	redisLockTuned    = "redis/redislock-tuned"
	redisSync         = "redis/redsync"
	redisSyncTuned    = "redis/redsync-tuned"
	redisRueidis      = "redis/rueidislock"
	redisRueidisTuned = "redis/rueidislock-tuned"
	redisNothing      = "redis/nothing"
	tunedRetry        = 2 * time.Millisecond // as long as the lock is held in the contest: soon after, it is free
)

func redisProducts() map[string]open {
	tuned := tuning{retry: tunedRetry, pipelined: true}
	return map[string]open{
		redisHoldgate:     openRedisClient(holdgate.Handoff{}),
		redisStrict:       openRedisClient(holdgate.Handoff{Strict: true}),
		redisOnlyDriver:   openRedisDriver,
		redisLock:         openRedislock(tuning{}),
		redisLockTuned:    openRedislock(tuned),
		redisSync:         openRedsync(tuning{}),
		redisSyncTuned:    openRedsync(tuned),
		redisRueidis:      openRueidislock(0, false),
		redisRueidisTuned: openRueidislock(1, true),
		redisNothing:      openScripts,
	}
}

// redisPeers are those of others.
func redisPeers() []string {
	return []string{redisLock, redisLockTuned, redisSync, redisSyncTuned, redisRueidis, redisRueidisTuned}
}
