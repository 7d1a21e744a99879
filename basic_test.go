package holdgate_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func newClient(t testing.TB, store *memdriver.Store, o *holdgate.Options) *holdgate.Client {
	t.Helper()
	drv := store.Connect(nil)
	c, err := holdgate.New(drv, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := drv.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestBasic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := newClient(t, store, nil), newClient(t, store, nil)
		var wg sync.WaitGroup
		n := 0
		var last holdgate.Token
		for _, c := range []*holdgate.Client{a, b} {
			for range 8 {
				wg.Go(func() {
					for range 50 {
						h, err := c.Mutex("x").Lock(t.Context())
						if err != nil {
							t.Error(err)
							return
						}
						if h.Token() <= last {
							t.Errorf("token %v after %v", h.Token(), last)
						}
						last = h.Token()
						n++
						time.Sleep(time.Millisecond)
						if err := h.Release(t.Context()); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		wg.Wait()
		if n != 800 {
			t.Error(n)
		}
		h, err := a.Mutex("x").Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if h.Err() != nil {
			t.Error(h.Err())
		}
		l, _ := b.Line(t.Context(), "x")
		t.Logf("%+v", l)
		_, err = b.Mutex("x").TryLock(t.Context())
		t.Log(err)
		h.Release(t.Context())
	})
}

func BenchmarkFree(b *testing.B) {
	c := newClient(b, memdriver.NewStore(), nil)
	ctx := context.Background()
	m := c.Mutex("x")
	b.ReportAllocs()
	for b.Loop() {
		h, err := m.Lock(ctx)
		if err != nil {
			b.Fatal(err)
		}
		h.Release(ctx)
	}
}

func BenchmarkLocal(b *testing.B) {
	c := newClient(b, memdriver.NewStore(), nil)
	ctx := context.Background()
	m := c.Mutex("x")
	b.ReportAllocs()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h, err := m.Lock(ctx)
			if err != nil {
				b.Fatal(err)
			}
			h.Release(ctx)
		}
	})
}
