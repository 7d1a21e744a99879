package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// acquireLater begins to acquire n of so many permits.
func (p *proc) acquireLater(ctx context.Context, permits, n int64) *attempt {
	return begin(func() (*holdgate.Hold, error) { return p.Semaphore("gpu", permits).Acquire(ctx, n) })
}

// A permit holder dies: its permits are back within T. One that lives keeps its own.
func TestS53_PermitsOfTheDead(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, c := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		a.acquireLater(t.Context(), 3, 2).granted(t, 0)
		lives := b.acquireLater(t.Context(), 3, 1).granted(t, 0)
		w := c.acquireLater(t.Context(), 3, 2)
		pass(renewEvery)
		w.pending(t)
		a.kill()
		got := w.granted(t, ttl)
		pass(10 * ttl)
		wantHeld(t, lives)
		wantHeld(t, got)
		mustRelease(t, lives)
		mustRelease(t, got)
		wantNothingLeft(t, store)
	})
}

// Three of four are taken, one asks for two, then one asks for one: the big request is not
// passed, though the small one would fit.
func TestS54_BigRequestIsNotStarved(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		three := a.acquireLater(t.Context(), 4, 3).granted(t, 0)
		big := b.acquireLater(t.Context(), 4, 2)
		big.pending(t)
		small := a.acquireLater(t.Context(), 4, 1)
		pass(3 * ttl)
		small.pending(t)
		_, err := b.Semaphore("gpu", 4).TryAcquire(t.Context(), 1)
		wantErr(t, err, holdgate.ErrBusy)
		mustRelease(t, three)
		two, one := big.granted(t, 0), small.granted(t, 0) // both fit now
		if two.Permits() != 2 || one.Permits() != 1 || two.Exclusive() {
			t.Errorf("%d and %d permits", two.Permits(), one.Permits())
		}
		mustRelease(t, two)
		mustRelease(t, one)
		wantNothingLeft(t, store)
	})
}

// Whoever gives up in the middle lets those behind it have what it waited for.
func TestSemaphoreWaiterGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.acquireLater(t.Context(), 4, 3).granted(t, 0)
		ctx, cancel := context.WithCancel(t.Context())
		big := b.acquireLater(ctx, 4, 4)
		big.pending(t)
		small := a.acquireLater(t.Context(), 4, 1)
		small.pending(t)
		cancel()
		big.refused(t, 0, holdgate.ErrNotAcquired, context.Canceled)
		mustRelease(t, small.granted(t, time.Second))
		all := b.acquireLater(t.Context(), 4, 4)
		all.pending(t)
		mustRelease(t, h)
		if h := all.granted(t, 0); !h.Exclusive() {
			t.Error("all permits are not exclusive")
		} else {
			mustRelease(t, h)
		}
		wantNothingLeft(t, store)
	})
}

// Bad input: a clear error, and nothing changes in the store.
func TestS46_Permits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		for _, bad := range []struct{ permits, n int64 }{
			{0, 1}, {-1, 1}, {driver.MaxCapacity + 1, 1}, {4, 0}, {4, -1}, {4, 5},
		} {
			p.acquireLater(t.Context(), bad.permits, bad.n).refused(t, 0, holdgate.ErrInvalid)
			_, err := p.Semaphore("gpu", bad.permits).TryAcquire(t.Context(), bad.n)
			wantErr(t, err, holdgate.ErrInvalid)
		}
		_, err := p.Semaphore("", 1).Acquire(t.Context(), 1)
		wantErr(t, err, holdgate.ErrInvalidName)
		if n := p.faults.total(); n > 0 {
			t.Errorf("the store was asked %d times", n)
		}
		one := startOneKey(t, store)
		one.acquireLater(t.Context(), 2, 1).refused(t, 0, holdgate.ErrUnsupported)
		mustRelease(t, one.acquireLater(t.Context(), 1, 1).granted(t, 0))
	})
}

// Two programs say different numbers of permits: ErrMismatch on the later one.
func TestS47_Permits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.acquireLater(t.Context(), 4, 1).granted(t, 0)
		b.acquireLater(t.Context(), 5, 1).refused(t, 0, holdgate.ErrMismatch, holdgate.ErrNotAcquired)
		_, err := b.Semaphore("gpu", 3).TryAcquire(t.Context(), 1)
		wantErr(t, err, holdgate.ErrMismatch)
		wantHeld(t, h)
		if n := len(placesOf(store, "gpu")); n != 1 {
			t.Errorf("%d places", n)
		}
		mustRelease(t, h)
		mustRelease(t, b.acquireLater(t.Context(), 5, 5).granted(t, 0)) // nobody is in line: it may change
	})
}

// Permits may be taken in addition while there can be enough of them, and no further.
func TestSemaphoreDeadlock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		two := p.acquireLater(t.Context(), 4, 2).granted(t, 0)
		one := p.acquireLater(two.Context(), 4, 1).granted(t, 0)
		p.acquireLater(one.Context(), 4, 2).refused(t, 0, holdgate.ErrDeadlock)
		last := p.acquireLater(one.Context(), 4, 1).granted(t, 0)
		mustRelease(t, one)
		// One is free again: what was released does not count.
		mustRelease(t, p.acquireLater(last.Context(), 4, 1).granted(t, 0))
		mustRelease(t, last)
		mustRelease(t, two)
	})
}
