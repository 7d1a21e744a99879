package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func (p *proc) lockAllLater(ctx context.Context, names ...string) *attempt {
	return begin(func() (*holdgate.Hold, error) { return p.LockAll(ctx, names...) })
}

// oneByOne is a driver that cannot try several lines in one step.
type oneByOne struct{ *memdriver.Driver }

func (d oneByOne) Features() driver.Features {
	f := d.Driver.Features()
	f.TryAll = false
	return f
}

func startOneByOne(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
	p.open(t, oneByOne{p.drv}, nil)
	return p
}

// One hold of several names has a token for each, excludes each, and gives all back.
func TestLockAll(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		before := b.mustLock(t, "z")
		last := before.Token()
		w := a.lockAllLater(t.Context(), "z", "x", "y")
		w.pending(t)
		if n := len(placesOf(store, "x")); n != 1 {
			t.Error("x is not held while z is waited for")
		}
		mustRelease(t, before)
		h := w.granted(t, 0)
		if got := h.Names(); !slices.Equal(got, []string{"x", "y", "z"}) || h.Name() != "x" {
			t.Errorf("holds %q", got)
		}
		if h.TokenFor("z") <= last || h.TokenFor("x") != h.Token() || h.TokenFor("y") == 0 || h.TokenFor("other") != 0 {
			t.Errorf("tokens %v %v %v", h.TokenFor("x"), h.TokenFor("y"), h.TokenFor("z"))
		}
		for _, name := range h.Names() {
			b.tryLater(t.Context(), name).refused(t, 0, holdgate.ErrBusy)
			a.lockLater(h.Context(), name).refused(t, 0, holdgate.ErrDeadlock)
		}
		if err := h.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		pass(3 * ttl)
		wantHeld(t, h)
		mustRelease(t, h)
		wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
		if h.TokenFor("z") != 0 {
			t.Error("released, and has a token")
		}
		wantNothingLeft(t, store)
	})
}

// When one of the names is lost the hold is, and it gives the others back.
func TestLockAllLosesOne(t *testing.T) {
	for _, lost := range []string{"x", "y", "z"} {
		t.Run(lost, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				h := p.lockAllLater(t.Context(), "x", "y", "z").granted(t, 0)
				store.RemovePlace(lost, placesOf(store, lost)[0].ID)
				pass(ttl)
				<-h.Done()
				var why *holdgate.LostError
				if err := h.Err(); !errors.As(err, &why) || why.Name != lost {
					t.Errorf("the hold ended by %v", err)
				}
				wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
				wantNothingLeft(t, store)
			})
		})
	}
}

// Verify sees that one of several is gone.
func TestLockAllVerify(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.lockAllLater(t.Context(), "x", "y").granted(t, 0)
		store.RemovePlace("y", placesOf(store, "y")[0].ID)
		wantErr(t, h.Verify(t.Context()), holdgate.ErrLost)
		_ = h.Release(t.Context())
	})
}

// The session is lost while the last name is waited for: all are taken anew.
func TestLockAllStartsAnew(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := b.mustLock(t, "z")
		w := a.lockAllLater(t.Context(), "x", "y", "z")
		w.pending(t)
		old := placesOf(store, "x")[0].ID
		a.drv.SetLink(memdriver.LinkRefuses)
		pass(ttl + ttl/2)
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		w.pending(t)
		if p := placesOf(store, "x"); len(p) != 1 || p[0].ID == old {
			t.Errorf("x is held by %+v", p)
		}
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
		wantNothingLeft(t, store)
	})
}

// Somebody evicts one of those that are held while another is waited for: that is an answer.
func TestLockAllEvictedMeanwhile(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := b.mustLock(t, "z")
		w := a.lockAllLater(t.Context(), "x", "z")
		w.pending(t)
		if err := b.Evict(t.Context(), "x", placesOf(store, "x")[0].ID, holdgate.Eviction{Reason: "go"}); err != nil {
			t.Fatal(err)
		}
		w.refused(t, time.Second, holdgate.ErrNotAcquired, holdgate.ErrLost)
		mustRelease(t, h)
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// It gives up in the middle: nothing is held.
func TestLockAllGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := b.mustLock(t, "y")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a.lockAllLater(ctx, "z", "y", "x").refused(t, time.Second, holdgate.ErrNotAcquired, context.DeadlineExceeded)
		mustRelease(t, b.lockLater(t.Context(), "x").granted(t, time.Second))
		mustRelease(t, h)
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// A try is all or nothing, in one step where the store can.
func TestTryLockAll(t *testing.T) {
	for name, start := range map[string]func(testing.TB, *memdriver.Store) *proc{
		"in one step": func(t testing.TB, store *memdriver.Store) *proc { return startProc(t, store, nil) },
		"one by one":  startOneByOne,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), startProc(t, store, nil)
				h := b.mustLock(t, "y")
				for range 3 {
					_, err := a.TryLockAll(t.Context(), "z", "y", "x")
					wantErr(t, err, holdgate.ErrBusy)
					var busy *holdgate.BusyError
					if !errors.As(err, &busy) || busy.Holder.ID != h.PlaceID() || busy.Name != "y" {
						t.Errorf("got %v; want who holds y", err)
					}
				}
				pass(time.Second)
				if n := len(placesOf(store, "x")) + len(placesOf(store, "z")); n > 0 {
					t.Errorf("%d places are left", n)
				}
				mustRelease(t, h)
				all, err := a.TryLockAll(t.Context(), "z", "y", "x")
				if err != nil {
					t.Fatal(err)
				}
				b.tryLater(t.Context(), "z").refused(t, 0, holdgate.ErrBusy)
				pass(3 * ttl)
				wantHeld(t, all)
				mustRelease(t, all)
				wantNothingLeft(t, store)
			})
		})
	}
}

// The answer to a try of all is lost: the same places are asked for again. When the store does
// not answer at all, none is left.
func TestTryLockAllUnknown(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.faults.next(memdriver.OpTryAll, memdriver.Fault{Lose: memdriver.LoseAnswer})
		h, err := p.TryLockAll(t.Context(), "x", "y")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(placesOf(store, "x")); n != 1 {
			t.Errorf("%d places", n)
		}
		mustRelease(t, h)
		lift := p.faults.always(memdriver.OpTryAll, memdriver.Fault{Lose: memdriver.LoseAnswer, Hang: true})
		_, err = p.TryLockAll(t.Context(), "x", "y")
		wantErr(t, err, holdgate.ErrUnavailable)
		lift()
		pass(ttl)
		wantNothingLeft(t, store)
		if n := p.OwnPlaces(); n > 0 {
			t.Errorf("%d places are still known", n)
		}
	})
}

// Bad lists: a clear error, and nothing changes in the store.
func TestS46_LockAllNames(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		var many []string
		for i := range holdgate.MaxLockAll + 1 {
			many = append(many, fmt.Sprint(i))
		}
		for _, bad := range []struct {
			names []string
			kind  error
		}{
			{nil, holdgate.ErrInvalid},
			{[]string{"x", "y", "x"}, holdgate.ErrInvalid},
			{many, holdgate.ErrInvalid},
			{[]string{"x", ""}, holdgate.ErrInvalidName},
		} {
			p.lockAllLater(t.Context(), bad.names...).refused(t, 0, bad.kind)
			_, err := p.TryLockAll(t.Context(), bad.names...)
			wantErr(t, err, bad.kind)
		}
		if n := p.faults.total(); n > 0 {
			t.Errorf("the store was asked %d times", n)
		}
		names := many[:holdgate.MaxLockAll]
		given := slices.Clone(names)
		h := p.lockAllLater(t.Context(), names...).granted(t, 0)
		if !slices.Equal(names, given) {
			t.Error("the caller's list was changed")
		}
		mustRelease(t, h)
	})
}

// Who takes (x,y) and who takes (y,x), with random cancels: no deadlock, nothing is left.
func TestS55_LockAll(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		d := newDicePair(56)
		procs := []*proc{startProc(t, store, nil), startProc(t, store, strict()), startOneByOne(t, store)}
		lists := [][]string{{"x", "y"}, {"y", "x"}, {"z", "x"}, {"y", "z", "x"}}
		var workers sync.WaitGroup
		for _, p := range procs {
			for i := range 4 {
				workers.Go(func() {
					for range scaled(1000, 200) / 4 {
						together(t, p, d, lists[i])
					}
				})
			}
		}
		workers.Wait()
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// together takes all names, or tries to, unless it is cancelled.
func together(t testing.TB, p *proc, d *dice, names []string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if d.one(3) {
		time.AfterFunc(d.in(5*time.Millisecond), cancel)
	}
	lock := p.LockAll
	if d.one(4) {
		lock = p.TryLockAll
	}
	h, err := lock(ctx, names...)
	switch {
	case errors.Is(err, holdgate.ErrBusy):
		return
	case err != nil:
		wantCancelled(t, err)
		return
	}
	time.Sleep(d.in(time.Millisecond))
	if err := h.Release(context.Background()); err != nil {
		t.Errorf("release %q: %v", names, err)
	}
}
