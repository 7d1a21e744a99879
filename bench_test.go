package holdgate_test

import (
	"context"
	"runtime"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// BenchmarkMutexFree takes a lock that nobody wants, and gives it back.
func BenchmarkMutexFree(b *testing.B) {
	ctx := context.Background()
	m := newClient(b, memdriver.NewStore(), nil).Mutex("x")
	b.ReportAllocs()
	for b.Loop() {
		lockAndRelease(ctx, b, m)
	}
}

// BenchmarkMutexLocalHandoff has the goroutines of one client take turns.
func BenchmarkMutexLocalHandoff(b *testing.B) {
	ctx := context.Background()
	m := newClient(b, memdriver.NewStore(), nil).Mutex("x")
	b.ReportAllocs()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			lockAndRelease(ctx, b, m)
		}
	})
}

// BenchmarkMutexTwoClients has two clients take turns: each grant is one commit.
func BenchmarkMutexTwoClients(b *testing.B) {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := newClient(b, store, nil).Mutex("x"), newClient(b, store, nil).Mutex("x")
	b.ReportAllocs()
	done := make(chan struct{})
	stop := make(chan struct{})
	go func() { // ends with stop; waited for by done
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				lockAndRelease(ctx, b, two)
			}
		}
	}()
	for b.Loop() {
		lockAndRelease(ctx, b, one)
	}
	close(stop)
	<-done
}

func lockAndRelease(ctx context.Context, b *testing.B, m holdgate.Mutex) {
	h, err := m.Lock(ctx)
	if err != nil {
		b.Error(err)
		return
	}
	if err := h.Release(ctx); err != nil {
		b.Error(err)
	}
}

// BenchmarkHolds1000Idle keeps 1,000 holds for a second per iteration. What it tells is
// the heap that a hold takes, the share of one core that all take, and
// how many heartbeats there were: real time has to pass for that.
func BenchmarkHolds1000Idle(b *testing.B) {
	const holds = 1000
	faults := newFaultTable()
	drv := memdriver.NewStore().Connect(&memdriver.Options{Faults: faults.inject})
	c, err := holdgate.New(drv, &holdgate.Options{TTL: holdgate.MinTTL})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(context.Background())
	before := usage()
	for i := range holds {
		if _, err := c.Mutex("x" + strconv.Itoa(i)).Lock(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	taken := usage()
	seconds := 0.0
	for b.Loop() {
		time.Sleep(time.Second)
		seconds++
	}
	idle := usage()
	b.ReportMetric(float64(taken.heap-before.heap)/holds, "heap-B/hold")
	b.ReportMetric(100*(idle.cpu-taken.cpu)/seconds, "cpu-%")
	b.ReportMetric(float64(faults.count(memdriver.OpRenew))/seconds, "renewals/s")
}

// used is what the process uses: bytes that live on the heap, and seconds of
// processor time outside the garbage collector.
type used struct {
	heap int64
	cpu  float64
}

// usage reads it after a collection, which is when the runtime brings it up to date.
func usage() used {
	runtime.GC()
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/cpu/classes/user:cpu-seconds"},
	}
	metrics.Read(samples)
	return used{heap: int64(samples[0].Value.Uint64()), cpu: samples[1].Value.Float64()} //nolint:gosec // far below 1<<63
}
