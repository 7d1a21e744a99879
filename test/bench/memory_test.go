package main

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// BenchmarkMemoryFree takes a lock that nobody wants, and gives it back.
func BenchmarkMemoryFree(b *testing.B) {
	free(b, newClient(b, memdriver.NewStore().Connect(nil)))
}

// BenchmarkMemoryHandOff has eight goroutines of one process take turns, some rounds.
func BenchmarkMemoryHandOff(b *testing.B) {
	const goroutines, cycles, rounds, warm = 8, 2_000, 30, 3
	lock, w := newClient(b, memdriver.NewStore().Connect(nil)).Mutex("bench"), ownWitness(b)
	lockers := make([]locker, goroutines)
	for i := range lockers {
		lockers[i] = &countingLocker{clientLocker{mutex: lock}, w}
	}
	var took, mallocs []float64
	for range b.N {
		for round := range warm + rounds {
			before := readOwnUse()
			lasted, waits := atOnce(b, lockers, cycles)
			used, grants := readOwnUse().since(before), float64(len(waits))
			if round >= warm {
				took = append(took, float64(lasted)/grants)
				mallocs = append(mallocs, used.Mallocs/grants)
			}
		}
	}
	if got, want := w.passed(), uint64(goroutines*cycles*(warm+rounds)*b.N); got != want { //nolint:gosec // few
		b.Fatalf("it does not exclude: of %d counts there are %d", want, got)
	}
	reportQuantile(b, "grant-ns", took, 0.5)
	reportQuantile(b, "allocs", mallocs, 0.5)
}

// countingLocker counts each time that it has the lock, as fast as it can.
type countingLocker struct {
	clientLocker
	witness witness
}

func (l *countingLocker) lock(ctx context.Context) error {
	err := l.clientLocker.lock(ctx)
	if err == nil {
		l.witness.page.count++
	}
	return err
}

// free measures locking and unlocking while nobody else wants the lock. How far the laps
// differ tells how far the time can be trusted.
func free(b *testing.B, client *holdgate.Client) {
	const lap = 64
	lock, laps, n := client.Mutex("bench"), []float64(nil), 0
	b.ReportAllocs()
	begun := time.Now()
	for b.Loop() {
		if err := lockAndRelease(b.Context(), lock); err != nil {
			b.Fatal(err)
		}
		if n++; n%lap == 0 {
			now := time.Now()
			laps = append(laps, float64(now.Sub(begun))/lap)
			begun = now
		}
	}
	if len(laps) > 0 {
		reportQuantile(b, "pair-ns", laps, 0.5)
	}
}

func lockAndRelease(ctx context.Context, lock holdgate.Mutex) error {
	hold, err := lock.Lock(ctx)
	if err != nil {
		return err
	}
	return hold.Release(ctx)
}

// newClient returns a client that ends with the benchmark.
func newClient(b *testing.B, drv driver.Driver) *holdgate.Client {
	b.Helper()
	client, err := holdgate.New(drv, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := client.Close(context.Background()); err != nil {
			b.Error(err)
		}
		if err := drv.Close(); err != nil {
			b.Error(err)
		}
	})
	return client
}
