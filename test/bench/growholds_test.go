package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// These keep holds of different names on one client, and do nothing else.

func BenchmarkEtcdHolds(b *testing.B)   { grow(b, etcdGround, idleHolds) }
func BenchmarkRedisHolds(b *testing.B)  { grow(b, redisGround, idleHolds) }
func BenchmarkMemoryHolds(b *testing.B) { grow(b, memoryGround, idleHolds) }

// holdsTTL is the shortest that all stores grant.
const holdsTTL = 2 * time.Second

// heapCounts is from how many holds on the heap is told for each: of fewer it is that of
// other things.
const heapCounts = 100

// idleHolds reports what holds cost by being there, and returns how long a renewal takes.
func idleHolds(b *testing.B, g ground, n int, smaller map[int]float64) float64 {
	const ttls = 2
	renewed := &heartbeats{Driver: g.connect(b)}
	client, err := holdgate.New(renewed, &holdgate.Options{TTL: holdsTTL})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close(context.Background())                                   // the server is about to end
	if err := lockAndRelease(b.Context(), client.Mutex("first")); err != nil { // opens the session
		b.Fatal(err)
	}
	before, holds := heapInUse(), make([]*holdgate.Hold, n)
	atOnceFor(b, n, func(i int) (err error) {
		holds[i], err = client.Mutex(fmt.Sprintf("held/%d", i)).Lock(b.Context())
		return err
	})
	heap := heapInUse() - before
	g.settle()
	renewed.take()
	spent := g.cost(b, func() { time.Sleep(ttls * holdsTTL) }) // what is measured is what happens by itself
	renewals, presents := renewed.take()
	for _, h := range holds {
		if err := h.Err(); err != nil {
			b.Fatalf("a hold was lost while nobody did anything: %v", err)
		}
	}
	runtime.KeepAlive(client)

	share := func(used time.Duration) float64 { return 100 * float64(used) / float64(ttls*holdsTTL) }
	b.ReportMetric(float64(len(renewals))/ttls, "renewals")
	b.ReportMetric(share(spent.clients), "cpu-%")
	if g.server != nil {
		b.ReportMetric(share(spent.server), "server-%")
	}
	if n >= heapCounts {
		b.ReportMetric(float64(heap)/float64(n), "heap-B")
	}
	reportQuantile(b, "renew-p50-ns", renewals, 0.5)
	if len(presents) > 0 {
		reportQuantile(b, "present-p50-ns", presents, 0.5)
	}
	median, _ := quantileWithin(renewals, 0.5)
	if one, ok := smaller[1]; ok && n > 1 {
		b.ReportMetric(median/one, "renew/one")
	}
	return median
}

// settle waits until nothing is written any more: a second after a grant it is written down
// since when the lock is held.
func (g ground) settle() {
	const interval, few = 500 * time.Millisecond, 5 // of renewals
	time.Sleep(3 * interval)
	if g.server == nil {
		return
	}
	for before := 0.0; ; time.Sleep(interval) {
		served := g.server.served()
		now := served["commits"] + served["changes"]
		if now-before < few {
			return
		}
		before = now
	}
}

// heartbeats notes how long the renewals of all sessions of a driver take, and the
// comparisons with what the store has.
type heartbeats struct {
	driver.Driver

	mu                 sync.Mutex
	renewals, presents []float64
}

// take returns what was noted since the last time.
func (h *heartbeats) take() (renewals, presents []float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	renewals, presents = h.renewals, h.presents
	h.renewals, h.presents = nil, nil
	return renewals, presents
}

func (h *heartbeats) note(to *[]float64, begun time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*to = append(*to, float64(time.Since(begun)))
}

func (h *heartbeats) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	s, err := h.Driver.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return notedSession{s, h}, nil
}

type notedSession struct {
	driver.Session
	to *heartbeats
}

func (s notedSession) Renew(ctx context.Context) ([]driver.Eviction, error) {
	defer s.to.note(&s.to.renewals, time.Now())
	return s.Session.Renew(ctx)
}

func (s notedSession) Present(ctx context.Context) ([]driver.Place, error) {
	defer s.to.note(&s.to.presents, time.Now())
	return s.Session.Present(ctx)
}
