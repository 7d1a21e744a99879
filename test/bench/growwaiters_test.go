package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// These have a line of places, each with one goroutine, that take the lock over and over: in
// up to 100 sessions, first come, first served.

func BenchmarkEtcdWaiters(b *testing.B)   { grow(b, etcdGround, longLine) }
func BenchmarkRedisWaiters(b *testing.B)  { grow(b, redisGround, longLine) }
func BenchmarkMemoryWaiters(b *testing.B) { grow(b, memoryGround, longLine) }

// longLine reports how often the lock goes to the next, and returns that.
func longLine(b *testing.B, g ground, n int, smaller map[int]float64) float64 {
	const window = 2 * time.Second
	l := formLine(b, g, n)
	// Once the whole line stands. It is looked at seldom: that costs as much as it is long.
	for begun := time.Now(); ; {
		line, err := l.clients[0].Line(b.Context(), lineName)
		if err != nil {
			b.Fatal(err)
		}
		// One of them may be between two places.
		if len(line.Places) >= max(1, n-len(l.clients)) || n < 10 {
			break
		}
		time.Sleep(max(10*time.Millisecond, time.Since(begun)/5))
	}
	first, begun := l.grants.Load(), time.Now()
	spent := g.cost(b, func() { time.Sleep(window) })
	grants, took := l.grants.Load()-first, time.Since(begun)
	l.dissolve(b)

	rate := float64(grants) / took.Seconds()
	b.ReportMetric(rate, "rate")
	b.ReportMetric(float64(spent.clients)/float64(grants), "client-ns")
	if g.server != nil {
		b.ReportMetric(float64(spent.server)/float64(grants), "server-ns")
	}
	for unit, served := range spent.served {
		b.ReportMetric(served/float64(grants), unit)
	}
	if ten, ok := smaller[10]; ok && n > 10 {
		b.ReportMetric(ten/rate, "cost/ten")
	}
	return rate
}

const lineName = "line"

// waitingCrowd is a line of goroutines, and the clients that they are of.
type waitingCrowd struct {
	clients []*holdgate.Client
	grants  atomic.Int64
	inside  atomic.Int64 // how many believe that they hold
	met     atomic.Bool  // two did at once
	all     sync.WaitGroup
	errs    chan error
}

// formLine has n goroutines get in line, of which each goes to its end again.
func formLine(b *testing.B, g ground, n int) *waitingCrowd {
	b.Helper()
	const sessions = 100
	l := &waitingCrowd{errs: make(chan error, n)}
	for range min(n, sessions) {
		l.clients = append(l.clients, g.client(b, &holdgate.Options{
			TTL: etcdTTL, Handoff: holdgate.Handoff{Strict: true},
		}))
	}
	for i := range n {
		lock := l.clients[i%len(l.clients)].Mutex(lineName)
		l.all.Go(func() { l.errs <- l.takeTurns(lock) }) // ends with its client
	}
	return l
}

func (l *waitingCrowd) takeTurns(lock holdgate.Mutex) error {
	ctx := context.Background()
	for {
		hold, err := lock.Lock(ctx)
		if err != nil {
			return err
		}
		if l.inside.Add(1) != 1 {
			l.met.Store(true)
		}
		l.grants.Add(1)
		l.inside.Add(-1)
		if err := hold.Release(ctx); err != nil {
			return err
		}
	}
}

// dissolve ends all clients, and with them the waits.
func (l *waitingCrowd) dissolve(b *testing.B) {
	b.Helper()
	var closing sync.WaitGroup
	for _, c := range l.clients {
		closing.Go(func() { _ = c.Close(context.Background()) })
	}
	closing.Wait()
	l.all.Wait()
	close(l.errs)
	for err := range l.errs {
		if !errors.Is(err, holdgate.ErrClosed) && !errors.Is(err, holdgate.ErrNotHeld) {
			b.Fatalf("a wait ended: %v", err)
		}
	}
	if l.met.Load() {
		b.Fatal("it does not exclude")
	}
}
