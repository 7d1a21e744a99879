package main

import (
	"context"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// BenchmarkMemoryFree takes a lock that nobody wants, and gives it back.
func BenchmarkMemoryFree(b *testing.B) {
	free(b, newClient(b, memdriver.NewStore().Connect(nil)))
}

// BenchmarkMemoryHandOff has goroutines of one process take turns.
func BenchmarkMemoryHandOff(b *testing.B) {
	lock := newClient(b, memdriver.NewStore().Connect(nil)).Mutex("bench")
	b.SetParallelism(4)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := lockAndRelease(b.Context(), lock); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// free measures locking and unlocking while nobody else wants the lock.
func free(b *testing.B, client *holdgate.Client) {
	lock := client.Mutex("bench")
	b.ReportAllocs()
	for b.Loop() {
		if err := lockAndRelease(b.Context(), lock); err != nil {
			b.Fatal(err)
		}
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
