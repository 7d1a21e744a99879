package main

import (
	"context"
	"testing"

	"github.com/holdgate/holdgate"
)

// BenchmarkEtcdReaders has four processes with 16 goroutines each take one lock over and
// over, of which one in a hundred times for writing. The peer knows no readers.
func BenchmarkEtcdReaders(b *testing.B) {
	const processes, goroutines, rounds, writeEvery = 4, 16, 8, 100
	orders := []turnOrder{{holdgateRW, 50, writeEvery}, {peerMutex, 2, writeEvery}}
	c, all := startCrew(b, startEtcd(b), processes, goroutines, holdgateRW, peerMutex), make(accounts)
	for range b.N {
		for _, order := range orders { // lays the watches
			c.follow(b, order)
		}
		for range rounds {
			for _, order := range orders {
				c.round(b, all, order)
			}
		}
	}
	all.report(b)
	all.ratio("rate", holdgateRW, peerMutex).report(b, "rate/peer")
}

// rwClient is a client whose lockers take a read/write lock.
type rwClient struct{ *etcdClient }

func openRWClient(_ context.Context, s seat) (product, error) {
	c, err := newEtcdClient(s, &holdgate.Options{TTL: etcdTTL})
	return rwClient{c}, err
}

func (c rwClient) locker(context.Context) (locker, error) {
	return &rwLocker{mutex: c.client.RWMutex("rw")}, nil
}

type rwLocker struct {
	mutex holdgate.RWMutex
	hold  *holdgate.Hold
}

func (l *rwLocker) lock(ctx context.Context) (err error) {
	l.hold, err = l.mutex.Lock(ctx)
	return err
}

func (l *rwLocker) rlock(ctx context.Context) (err error) {
	l.hold, err = l.mutex.RLock(ctx)
	return err
}

func (l *rwLocker) unlock(ctx context.Context) error { return l.hold.Release(ctx) }
