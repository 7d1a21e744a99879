package main

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// BenchmarkIdleHolds keeps 1,000 holds on one client for one TTL, and does nothing
// else. The heap that it reports includes the store's own 1,000 places.
func BenchmarkIdleHolds(b *testing.B) {
	const holds = 1_000
	var renewals, cpu, heap float64
	for range b.N {
		before := heapInUse()
		drv := &renewCounter{Driver: memdriver.NewStore().Connect(nil)}
		client := newClient(b, drv)
		for i := range holds {
			if _, err := client.Mutex(fmt.Sprintf("bench/%d", i)).Lock(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		heap += float64(heapInUse() - before)

		renewed, used := drv.renewals.Load(), cpuTime(b)
		time.Sleep(holdgate.DefaultTTL) // what is measured is what happens by itself
		renewals += float64(drv.renewals.Load() - renewed)
		cpu += 100 * float64(cpuTime(b)-used) / float64(holdgate.DefaultTTL)
		runtime.KeepAlive(client)
	}
	n := float64(b.N)
	b.ReportMetric(renewals/n, "renewals")
	b.ReportMetric(cpu/n, "cpu-%")
	b.ReportMetric(heap/n, "heap-B")
}

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// renewCounter counts the renewals of all sessions of a driver.
type renewCounter struct {
	driver.Driver
	renewals atomic.Int64
}

func (c *renewCounter) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	s, err := c.Driver.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return countedSession{s, &c.renewals}, nil
}

type countedSession struct {
	driver.Session
	renewals *atomic.Int64
}

func (s countedSession) Renew(ctx context.Context) ([]driver.Eviction, error) {
	s.renewals.Add(1)
	return s.Session.Renew(ctx)
}
