package holdgate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Release is retried after its answer was lost: success, and a newer grant of the same
// name is never touched, be it another's or one's own.
func TestS19_ReleaseRetried(t *testing.T) {
	for name, byItself := range map[string]bool{"then another's": false, "then one's own": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, strict())
				newer := p
				if !byItself {
					newer = startProc(t, store, nil)
				}
				h := p.mustLock(t, "x")
				w := newer.lockLater(t.Context(), "x")
				w.pending(t)
				p.faults.next(memdriver.OpLeave, memdriver.Fault{Lose: memdriver.LoseAnswer, AnswerDelay: time.Second})
				p.faults.next(memdriver.OpLeave, memdriver.Fault{Lose: memdriver.LoseRequest})
				p.faults.next(memdriver.OpLeave, memdriver.Fault{Lose: memdriver.LoseAnswer})
				if err := h.Release(t.Context()); err != nil {
					t.Errorf("release: %v", err)
				}
				if n := p.faults.count(memdriver.OpLeave); n != 4 {
					t.Errorf("left %d times; want 4, of which the last was answered", n)
				}
				next := w.granted(t, 0)
				pass(2 * ttl)
				wantHeld(t, next)
				if err := next.Verify(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Release after loss: ErrLost, and the holder that came after keeps its lock.
func TestS20_ReleaseAfterLoss(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.mustLock(t, "x")
		store.RemovePlace("x", h.PlaceID())
		next := b.mustLock(t, "x")
		<-h.Done()
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
		pass(2 * ttl)
		wantHeld(t, next)
		if err := next.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// The same when the holder that came after is of the same process, and stood behind it
// in the local line.
func TestS20_ReleaseAfterLossInOneProcess(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		waits := p.queue(t.Context(), t, "x", 2)
		store.ExpireSession(store.Sessions()[0])
		<-h.Done()
		next := waits[0].granted(t, time.Second)
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		waits[1].pending(t)
		wantHeld(t, next)
		if err := next.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		mustRelease(t, next)
		mustRelease(t, waits[1].granted(t, 0))
	})
}

// Release with a cancelled context: released all the same.
func TestS21_ReleaseCancelled(t *testing.T) {
	for name, tt := range map[string]struct {
		fault memdriver.Fault
		told  bool          // the store's answer was waited for
		free  time.Duration // when the lock is free
	}{
		"the store is fast":    {told: true},
		"the store is slow":    {fault: memdriver.Fault{Delay: time.Second}, free: time.Second},
		"the request is lost":  {fault: memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true}, free: renewEvery + time.Second},
		"the answer is lost":   {fault: memdriver.Fault{Lose: memdriver.LoseAnswer, Hang: true}},
		"the store is away":    {fault: memdriver.Fault{Err: errStoreDown}, told: true},
		"the answer is slower": {fault: memdriver.Fault{AnswerDelay: 50 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				w := b.lockLater(t.Context(), "x")
				w.pending(t)
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				a.faults.next(memdriver.OpLeave, tt.fault)
				begun := time.Now()
				err := h.Release(ctx)
				if took := time.Since(begun); took > 50*time.Millisecond {
					t.Errorf("it took %v with a context that had ended", took)
				}
				if tt.told && err != nil {
					t.Errorf("release: %v", err)
				}
				if !tt.told {
					wantErr(t, err, context.Canceled)
				}
				wantErr(t, h.Err(), holdgate.ErrNotHeld)
				mustRelease(t, w.granted(t, tt.free))
				pass(renewEvery)
				wantNothingLeft(t, store)
			})
		})
	}
}

// The end of the context while the release is under way ends the call, not the release.
func TestS21_ReleaseCancelledMeanwhile(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		p.faults.next(memdriver.OpLeave, memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true})
		p.faults.next(memdriver.OpLeave, memdriver.Fault{Delay: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		released := releaseLater(ctx, h)
		pass(time.Second + 50*time.Millisecond)
		select {
		case err := <-released:
			wantErr(t, err, context.DeadlineExceeded)
		default:
			t.Error("Release has not returned")
		}
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// Release twice: the second answers ErrNotHeld, and changes nothing.
func TestS22_ReleaseTwice(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		waits := p.queue(t.Context(), t, "x", 2)
		mustRelease(t, h)
		next := waits[0].granted(t, 0) // by the same place
		before := p.faults.total()
		wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
		if n := p.faults.total() - before; n != 0 {
			t.Errorf("the second release made %d calls", n)
		}
		wantHeld(t, next)
		waits[1].pending(t)
		mustRelease(t, next)
		mustRelease(t, waits[1].granted(t, 0))
		wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
	})
}

// Release from another goroutine than the one that took the lock.
func TestS23_ReleaseElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.lockLater(t.Context(), "x").granted(t, 0) // taken by one that has ended
		if err := <-releaseLater(t.Context(), h); err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, store)
	})
}

// The connection drops inside release: free within a bound, and the same client can
// lock again.
func TestS24_ConnectionDropsInRelease(t *testing.T) {
	for name, tt := range map[string]struct {
		link   memdriver.Link
		before bool // the store has not seen the request
		back   time.Duration
		free   time.Duration // when another gets it, at the latest
	}{
		"before, refused, back soon":  {memdriver.LinkRefuses, true, time.Second, 3 * time.Second},
		"before, hanging, back soon":  {memdriver.LinkHangs, true, time.Second, 3 * time.Second},
		"after, refused, back soon":   {memdriver.LinkRefuses, false, time.Second, 0},
		"after, hanging, back soon":   {memdriver.LinkHangs, false, time.Second, 0},
		"before, refused, back late":  {memdriver.LinkRefuses, true, 2 * ttl, ttl},
		"before, hanging, back late":  {memdriver.LinkHangs, true, 2 * ttl, ttl},
		"after, hanging, back late":   {memdriver.LinkHangs, false, 2 * ttl, 0},
		"after, refused, back late":   {memdriver.LinkRefuses, false, 2 * ttl, 0},
		"before, refused, back never": {memdriver.LinkRefuses, true, 100 * ttl, ttl},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				w := b.lockLater(t.Context(), "x")
				w.pending(t)
				drop := func() {
					a.drv.SetLink(tt.link)
					time.AfterFunc(tt.back, func() { a.drv.SetLink(memdriver.LinkUp) })
				}
				if tt.before {
					leave := a.faults.stopNext(memdriver.OpLeave)
					go func() {
						<-leave.reached
						drop()
						close(leave.goOn)
					}()
				} else {
					a.faults.next(memdriver.OpLeave, memdriver.Fault{Applied: drop})
				}
				released := releaseLater(t.Context(), h)
				synctest.Wait()
				mustRelease(t, w.granted(t, tt.free))
				pass(tt.back)
				err := <-released
				if tt.back < ttl && err != nil {
					t.Errorf("release: %v", err)
				}
				if tt.back >= ttl {
					wantErr(t, err, holdgate.ErrLost) // the session ended first: nobody can tell
				}
				mustRelease(t, a.lockLater(t.Context(), "x").granted(t, 2*time.Second))
				pass(0)
				wantNothingLeft(t, store)
			})
		})
	}
}
