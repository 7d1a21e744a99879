package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/redisserver"
)

// BenchmarkRedisMany has 64 goroutines of one process take a lock each, which nobody else
// wants, over and over: with each product in turn, some rounds.
func BenchmarkRedisMany(b *testing.B) {
	const goroutines, cycles, rounds = 64, 40, 30
	endpoint := redisserver.Start(b, redisserver.Options{}).Address()
	names, lockers := append(redisPeers(), redisHoldgate), make(map[string][]locker)
	for _, name := range names {
		lockers[name] = ownLockers(b, name, endpoint, goroutines)
	}
	rates := make(map[string][]float64)
	for range b.N {
		for round := range 1 + rounds { // the first makes connections
			for _, name := range names {
				rate := atOnce(b, lockers[name], cycles)
				if round > 0 {
					rates[name] = append(rates[name], rate)
				}
			}
		}
	}
	reportMedians(b, rates, "/s")
	ratioOfMedians(rates[redisHoldgate], rates[most(rates, redisLock, redisSync)]).report(b, "rate/go-redis")
	ratioOfMedians(rates[redisHoldgate], rates[most(rates, redisLockTuned, redisSyncTuned)]).report(b, "rate/pipelined")
	ratioOfMedians(rates[redisHoldgate], rates[most(rates, redisRueidis, redisRueidisTuned)]).report(b, "rate/rueidislock")
}

// atOnce has each goroutine take its lock so often, and returns how many locks were taken
// in a second.
func atOnce(b *testing.B, lockers []locker, cycles int) float64 {
	b.Helper()
	errs := make([]error, len(lockers))
	begun := time.Now()
	var all sync.WaitGroup
	for i, l := range lockers {
		all.Go(func() { errs[i] = over(b.Context(), l, cycles) }) // ends with its cycles
	}
	all.Wait()
	took := time.Since(begun)
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
	return float64(len(lockers)*cycles) / took.Seconds()
}

func over(ctx context.Context, l locker, cycles int) error {
	for range cycles {
		if err := l.lock(ctx); err != nil {
			return err
		}
		if err := l.unlock(ctx); err != nil {
			return err
		}
	}
	return nil
}
