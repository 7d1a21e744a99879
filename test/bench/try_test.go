package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate"
)

// trier is a locker that does not wait for a lock which somebody else has.
type trier interface {
	locker
	try(ctx context.Context) (got bool, err error)
}

// BenchmarkEtcdTry asks over and over for a lock that another client holds.
func BenchmarkEtcdTry(b *testing.B) {
	all := tries(b, startEtcd(b), 100, holdgateClient, peerMutex)
	all.ratio("refusals", holdgateClient, peerMutex).report(b, "rate/peer")
	reportLargest(b, all.of(holdgateClient), "commits")
}

// BenchmarkRedisTry does so on Redis. rueidislock is not among the peers: its tries
// did not come to an end here.
func BenchmarkRedisTry(b *testing.B) {
	peers := []string{redisLock, redisSync}
	all := tries(b, startRedis(b), 1_000, append(peers, redisHoldgate)...)
	all.ratio("refusals", redisHoldgate, all.most("refusals", peers...)).report(b, "rate/peer")
	reportLargest(b, all.of(redisHoldgate), "changes")
}

// BenchmarkZooKeeperTry does so on ZooKeeper. Its peer has no such call.
func BenchmarkZooKeeperTry(b *testing.B) {
	reportLargest(b, tries(b, startZKStore(b), 500, zkHoldgate).of(zkHoldgate), "commits")
}

// reportLargest reports what a refusal cost the store in writes, in the dearest round.
func reportLargest(b *testing.B, a *account, unit string) {
	b.Helper()
	_, all := quantileWithin(a.rounds[unit], 1)
	b.ReportMetric(all.High, "writes")
}

// tries asks over and over for locks that other clients hold: with each product in turn, some
// rounds. Every try must be refused, and one succeed as soon as the lock was given back.
func tries(b *testing.B, s store, each int, products ...string) accounts {
	b.Helper()
	const rounds = 8
	holders, lockers, all := make(map[string]locker), make(map[string]trier), make(accounts)
	for _, product := range products {
		holders[product] = openLocker(b, product, s.endpoint)
		lockers[product] = openLocker(b, product, s.endpoint).(trier)
		if err := holders[product].lock(b.Context()); err != nil {
			b.Fatalf("%s: %v", product, err)
		}
		refuse(b, product, lockers[product], each) // opens what is opened by use
	}
	for range b.N {
		for range rounds {
			for _, product := range products {
				a, refusals := all.of(product), 0
				c := s.costOf(b, func() {
					begun := time.Now()
					refusals = refuse(b, product, lockers[product], each)
					a.round("refusals", float64(refusals)/time.Since(begun).Seconds())
				})
				a.bill(c, refusals)
			}
		}
	}
	for _, product := range products {
		if err := holders[product].unlock(b.Context()); err != nil {
			b.Fatalf("%s: %v", product, err)
		}
		obtain(b, product, lockers[product])
	}
	all.report(b)
	return all
}

// obtain tries until it gets a lock that was given back: some give back in the background.
func obtain(b *testing.B, product string, l trier) {
	b.Helper()
	for begun := time.Now(); time.Since(begun) < 5*time.Second; {
		switch got, err := l.try(b.Context()); {
		case err != nil:
			b.Fatalf("%s: a try for a free lock: %v", product, err)
		case got:
			return
		}
	}
	b.Fatalf("%s: no try for a free lock got it", product)
}

// refuse tries so often, or as often as some time allows, and returns that. It fails when a
// try succeeds.
func refuse(b *testing.B, product string, l trier, most int) (n int) {
	b.Helper()
	const enough = 300 * time.Millisecond
	for begun := time.Now(); n < most && (n == 0 || time.Since(begun) < enough); n++ {
		if got, err := l.try(b.Context()); got || err != nil {
			b.Fatalf("%s: a try for a lock that is held got it: %v, %v", product, got, err)
		}
	}
	return n
}

// refused sorts out the error that says that the lock is taken.
func refused(err, busy error) (got bool, _ error) {
	if errors.Is(err, busy) {
		return false, nil
	}
	return err == nil, err
}

func (l *clientLocker) try(ctx context.Context) (got bool, err error) {
	l.hold, err = l.mutex.TryLock(ctx)
	return refused(err, holdgate.ErrBusy)
}

func (l concurrencyLocker) try(ctx context.Context) (bool, error) {
	return refused(l.mutex.TryLock(ctx), concurrency.ErrLocked)
}

func (l *redislockLocker) try(ctx context.Context) (got bool, err error) {
	l.held, err = l.peer.locks.Obtain(ctx, l.key, peerTTL, nil)
	return refused(err, redislock.ErrNotObtained)
}

func (l redsyncLocker) try(ctx context.Context) (bool, error) {
	err := l.mutex.TryLockContext(ctx)
	if taken := (*redsync.ErrTaken)(nil); errors.As(err, &taken) {
		return false, nil
	}
	return err == nil, err
}
