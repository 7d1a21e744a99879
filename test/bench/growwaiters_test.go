package main

import (
	"context"
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

// formsWithin is how long a line may take to form. Then it is measured as long as it is.
const formsWithin = 20 * time.Second

// longLine reports how often the lock goes to the next, and returns that.
func longLine(b *testing.B, g ground, n int, smaller map[int]float64) float64 {
	const window, fewGrants, patience = 2 * time.Second, 20, 10 * time.Second
	l := formLine(b, g, n)
	places := l.await(b, n)
	first, begun := l.grants.Load(), time.Now()
	spent := g.cost(b, func() {
		for time.Sleep(window); l.grants.Load()-first < fewGrants && time.Since(begun) < patience; {
			time.Sleep(window / 20)
		}
	})
	// One that did not move at all has moved less than once.
	grants, took := max(1, l.grants.Load()-first), time.Since(begun)
	l.dissolve(b)

	b.ReportMetric(float64(places), "places")
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
	closing atomic.Bool  // waits end by that
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

// await returns how many places stand: once the whole line does, or when that takes too
// long. It is looked at seldom: that costs as much as it is long. Each session may be between
// two places.
func (l *waitingCrowd) await(b *testing.B, n int) (places int) {
	b.Helper()
	for begun := time.Now(); time.Since(begun) < formsWithin && places < max(1, n-len(l.clients)); {
		looked := time.Now()
		if line, err := l.clients[0].Line(b.Context(), lineName); err == nil {
			places = len(line.Places)
		}
		time.Sleep(max(10*time.Millisecond, 4*time.Since(looked)))
	}
	return places
}

func (l *waitingCrowd) takeTurns(lock holdgate.Mutex) error {
	ctx := context.Background()
	for {
		hold, err := lock.Lock(ctx)
		if err != nil {
			return l.unlessClosing(err)
		}
		if l.inside.Add(1) != 1 {
			l.met.Store(true)
		}
		l.grants.Add(1)
		l.inside.Add(-1)
		if err := hold.Release(ctx); err != nil {
			return l.unlessClosing(err)
		}
	}
}

func (l *waitingCrowd) unlessClosing(err error) error {
	if l.closing.Load() {
		return nil
	}
	return err
}

// dissolve ends all clients, and with them the waits.
func (l *waitingCrowd) dissolve(b *testing.B) {
	b.Helper()
	l.closing.Store(true)
	var clients sync.WaitGroup
	for _, c := range l.clients {
		clients.Go(func() { _ = c.Close(context.Background()) })
	}
	clients.Wait()
	l.all.Wait()
	close(l.errs)
	for err := range l.errs {
		if err != nil {
			b.Fatal(err)
		}
	}
	if l.met.Load() {
		b.Fatal("it does not exclude")
	}
}
