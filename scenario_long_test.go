package holdgate_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// take takes a lock with a client that has nothing but a healthy store.
func take(t testing.TB, c *holdgate.Client, name string) *holdgate.Hold {
	t.Helper()
	h, err := c.Mutex(name).Lock(t.Context())
	if err != nil {
		t.Fatalf("lock %q: %v", name, err)
	}
	return h
}

// 100,000 names used once: the store and the client are back to where they were, and
// tokens of a name that is used again still increase.
func TestS49_ManyNames(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		c := newClient(t, store, nil)
		h := take(t, c, "x")
		first := h.Token()
		mustRelease(t, h)
		for i := range scaled(100_000, 5_000) {
			h := take(t, c, fmt.Sprint("once/", i))
			if h.Token() <= first {
				t.Fatalf("token %v after %v", h.Token(), first)
			}
			mustRelease(t, h)
		}
		wantNothingLeft(t, store)
		if n := c.LocalLines() + c.OwnPlaces(); n > 0 {
			t.Errorf("%d local lines and places left", n)
		}
		h = take(t, c, "x")
		if h.Token() <= first {
			t.Errorf("token %v after %v", h.Token(), first)
		}
		mustRelease(t, h)
	})
}

// heap returns how many bytes live on the heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // far below 1<<63
}

// One million lock and release: heap, goroutines, sessions and keys stay flat. It is not
// parallel: the heap has to be its own.
func TestS74_MillionLocks(t *testing.T) { //nolint:paralleltest // see above
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		clients := map[string]*holdgate.Client{"local": newClient(t, store, nil), "strict": newClient(t, store, strict())}
		round := func() {
			for _, c := range clients {
				h := take(t, c, "x")
				_ = h.Context()
				mustRelease(t, h)
			}
		}
		for range 1000 {
			round() // what is made once
		}
		pass(2 * ttl)
		bytes, goroutines := heap(), runtime.NumGoroutine()
		rounds := scaled(1_000_000, 50_000)
		if !soaking() {
			rounds = min(rounds, 200_000)
		}
		for range rounds / len(clients) {
			round()
		}
		pass(2 * ttl)
		if grown := heap() - bytes; grown > 256<<10 {
			t.Errorf("the heap grew by %d bytes", grown)
		}
		if n := runtime.NumGoroutine() - goroutines; n > 0 {
			t.Errorf("%d goroutines more", n)
		}
		if n := len(store.Sessions()); n != len(clients) {
			t.Errorf("%d sessions; want %d", n, len(clients))
		}
		for name, c := range clients {
			if n := c.LocalLines() + c.OwnPlaces(); n > 0 {
				t.Errorf("%s: %d local lines and places left", name, n)
			}
		}
		wantNothingLeft(t, store)
	})
}

// Waiting on 10,000 names: one session, no watch and no polling for each, and back to
// the baseline afterwards.
func TestS75_TenThousandWaits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := scaled(10_000, 2_000)
		store := memdriver.NewStore()
		holder := newClient(t, store, nil)
		for i := range n {
			take(t, holder, fmt.Sprint("x", i))
		}
		p := startProc(t, store, nil)
		ctx, cancel := context.WithCancel(t.Context())
		waits := make([]*attempt, n)
		for i := range waits {
			waits[i] = p.lockLater(ctx, fmt.Sprint("x", i))
		}
		pass(time.Second)
		if got := len(store.Sessions()); got != 2 {
			t.Errorf("%d sessions; want 2", got)
		}
		if got := p.LocalLines(); got != n {
			t.Errorf("%d local lines; want %d", got, n)
		}
		before, heart := p.faults.total(), p.faults.total(memdriver.OpRenew, memdriver.OpPresent)
		pass(2 * ttl)
		calls, beats := p.faults.total()-before, p.faults.total(memdriver.OpRenew, memdriver.OpPresent)-heart
		if calls != beats || beats > 10 {
			t.Errorf("%d calls in two TTLs, of which %d were the heartbeat", calls, beats)
		}
		cancel()
		for _, w := range waits {
			w.refused(t, time.Second, context.Canceled, holdgate.ErrNotAcquired)
		}
		pass(time.Second)
		if got := p.LocalLines() + p.OwnPlaces(); got > 0 {
			t.Errorf("%d local lines and places left", got)
		}
		for _, l := range store.Lines() {
			if len(l.Places) != 1 {
				t.Errorf("%d places in %q; want the holder's", len(l.Places), l.Name)
			}
		}
	})
}
