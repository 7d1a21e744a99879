package holdgate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// warm opens the session of a process, so that what follows needs no Open.
func (p *proc) warm(t testing.TB) {
	t.Helper()
	mustRelease(t, p.mustLock(t, "warm"))
}

// A TryLock that came while it was not known how the line stands is answered as soon
// as that is known: it does not wait with those who wait.
func TestTryWhileFirstEnters(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		h := other.mustLock(t, "x")
		p.warm(t)
		p.faults.next(memdriver.OpEnter, memdriver.Fault{AnswerDelay: time.Second})
		first := p.lockLater(t.Context(), "x")
		first.pending(t)
		try := p.tryLater(t.Context(), "x")
		try.pending(t)
		try.refused(t, time.Second, holdgate.ErrBusy)
		first.pending(t)
		mustRelease(t, h)
		mustRelease(t, first.granted(t, time.Second))
	})
}

// The same when the first in line is granted at once.
func TestTryWhileFirstIsGranted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.warm(t)
		enter := p.faults.stopNext(memdriver.OpEnter)
		first := p.lockLater(t.Context(), "x")
		first.pending(t)
		try := p.tryLater(t.Context(), "x")
		second := p.lockLater(t.Context(), "x")
		try.pending(t)
		close(enter.goOn)
		h := first.granted(t, 0)
		try.refused(t, 0, holdgate.ErrBusy)
		second.pending(t)
		mustRelease(t, h)
		mustRelease(t, second.granted(t, 0))
	})
}

// A lock that the store has back is free, also while the answer to the release is
// still under way.
func TestTryWhileReleasing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		h := p.mustLock(t, "x")
		p.faults.next(memdriver.OpLeave, memdriver.Fault{AnswerDelay: time.Second})
		released := releaseLater(t.Context(), h)
		synctest.Wait()
		mustRelease(t, p.tryLater(t.Context(), "x").granted(t, 0))
		if err := <-released; err != nil {
			t.Fatal(err)
		}
	})
}

// A TryLock that nobody of this process is in the way of costs one call, and one that
// somebody is in the way of costs none.
func TestTryCosts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.warm(t)
		before := p.faults.total()
		h, err := p.Mutex("x").TryLock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := p.faults.total() - before; n != 1 {
			t.Errorf("a TryLock of a free lock cost %d calls; want 1", n)
		}
		pass(ttl)
		wantHeld(t, h)
		before = p.faults.total()
		_, err = p.Mutex("x").TryLock(t.Context())
		wantErr(t, err, holdgate.ErrBusy)
		if n := p.faults.total() - before; n != 0 {
			t.Errorf("a TryLock of a lock held by this process cost %d calls; want 0", n)
		}
		mustRelease(t, h)
	})
}

// A TryLock gives up on a store that is away after a quarter of the time that a Lock
// takes; that says nothing to a Lock that stands behind it in the local line.
func TestTryGivesUpAlone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.warm(t)
		p.drv.SetLink(memdriver.LinkRefuses)
		ctx, cancel := context.WithCancel(t.Context())
		first := p.lockLater(ctx, "x")
		first.pending(t)
		try := p.tryLater(t.Context(), "x")
		try.pending(t)
		lock := p.lockLater(t.Context(), "x")
		lock.pending(t)
		cancel()
		first.refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		err := try.refused(t, ttl/2, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
		if errors.Is(err, holdgate.ErrBusy) {
			t.Errorf("a store that was not asked cannot be busy: %v", err)
		}
		lock.pending(t)
		p.drv.SetLink(memdriver.LinkUp)
		mustRelease(t, lock.granted(t, 2*time.Second))
	})
}

// Nor does it wait with a Lock that waits for the store.
func TestTryBehindLockWhileStoreIsAway(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				p.warm(t)
				p.drv.SetLink(link)
				lock := p.lockLater(t.Context(), "x")
				lock.pending(t)
				try := p.tryLater(t.Context(), "x")
				try.refused(t, ttl/4+time.Second, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
				lock.pending(t)
				p.drv.SetLink(memdriver.LinkUp)
				mustRelease(t, lock.granted(t, 2*time.Second))
			})
		})
	}
}

// What tells Options.OnWait about a line ends with the last that waited, also when that
// was a TryLock which was told that the lock is busy.
func TestTryLeavesNoReport(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		told := make(chan holdgate.Waiting, 100)
		p := startProc(t, store, &holdgate.Options{OnWait: func(w holdgate.Waiting) { told <- w }})
		other := startProc(t, store, nil)
		other.mustLock(t, "x")
		p.warm(t)
		enter := p.faults.stopNext(memdriver.OpEnter)
		ctx, cancel := context.WithCancel(t.Context())
		first := p.lockLater(ctx, "x")
		first.pending(t)
		try := p.tryLater(t.Context(), "x")
		try.pending(t)
		cancel()
		close(enter.goOn)
		first.refused(t, 0, holdgate.ErrNotAcquired)
		try.refused(t, time.Second, holdgate.ErrBusy)
		for len(told) > 0 {
			<-told // what it was told while it waited
		}
		changes := other.lockLater(t.Context(), "x")
		changes.pending(t)
		pass(time.Minute)
		if n := len(told); n > 0 {
			t.Errorf("told %d times of a wait that is over", n)
		}
		other.Close(t.Context())
		changes.refused(t, 0, holdgate.ErrClosed)
	})
}

// The answer tells who is in the way.
func TestBusyError(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		holder := startProc(t, store, &holdgate.Options{Owner: "billing:7", Reason: "nightly run"})
		next := startProc(t, store, nil)
		h := holder.mustLock(t, "x")
		next.lockLater(t.Context(), "x").pending(t)
		_, err := p.Mutex("x").TryLock(t.Context())
		var busy *holdgate.BusyError
		if !errors.As(err, &busy) {
			t.Fatalf("got %v; want a BusyError", err)
		}
		if busy.Name != "x" || busy.Ahead != 2 {
			t.Errorf("%q with %d ahead; want \"x\" with 2", busy.Name, busy.Ahead)
		}
		got := busy.Holder
		if got.Owner != "billing:7" || got.Reason != "nightly run" || !got.Granted || got.ID != h.PlaceID() || got.Token != h.Token() {
			t.Errorf("the holder is %+v", got)
		}
		if want := `"x" is busy: held by "billing:7", 2 in line`; err.Error() != want {
			t.Errorf("got %q; want %q", err, want)
		}
		next.Close(t.Context())
	})
}

// When goroutines of the process are in the way the store is not asked: then it is
// known who holds only if it is one of them.
func TestBusyErrorOfOwnProcess(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, &holdgate.Options{Owner: "me"}), startProc(t, store, &holdgate.Options{Owner: "other"})
		busy := func(want string) *holdgate.BusyError {
			t.Helper()
			_, err := p.Mutex("x").TryLock(t.Context())
			var busy *holdgate.BusyError
			if !errors.As(err, &busy) {
				t.Fatalf("got %v; want a BusyError", err)
			}
			if err.Error() != want {
				t.Errorf("got %q; want %q", err, want)
			}
			return busy
		}
		h := other.mustLock(t, "x")
		waits := p.queue(t.Context(), t, "x", 2)
		if b := busy(`"x" is busy: held by an unknown owner, 3 in line`); b.Holder.ID != "" || b.Ahead != 3 {
			t.Errorf("got %+v", b)
		}
		mustRelease(t, h)
		h = waits[0].granted(t, 0)
		if b := busy(`"x" is busy: held by "me", 2 in line`); b.Holder.ID != h.PlaceID() || b.Ahead != 2 {
			t.Errorf("got %+v", b)
		}
		mustRelease(t, h)
		mustRelease(t, waits[1].granted(t, 0))
	})
}
