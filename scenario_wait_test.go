package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// The answer to acquiring is lost and the call retried: one place, held by the caller,
// and never "busy" by itself.
func TestS28_AnswerLost(t *testing.T) {
	for name, tt := range map[string]struct {
		opts *holdgate.Options
		try  bool
	}{
		"lock": {nil, false}, "try": {nil, true},
		"lock, strict": {strict(), false}, "try, strict": {strict(), true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, tt.opts)
				for range 3 {
					p.faults.next(memdriver.OpEnter, memdriver.Fault{Lose: memdriver.LoseAnswer})
				}
				take := p.lockLater
				if tt.try {
					take = p.tryLater
				}
				h := take(t.Context(), "x").granted(t, time.Second)
				places := placesOf(store, "x")
				if len(places) != 1 || places[0].ID != h.PlaceID() {
					t.Errorf("places %+v; want the hold's only", places)
				}
				mustRelease(t, h)
				pass(ttl)
				wantNothingLeft(t, store)
			})
		})
	}
}

// Waiters time out: the line shows none of them, and the next is unaffected.
func TestS29_WaitersTimeOut(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				holder := startProc(t, store, nil)
				h := holder.mustLock(t, "x")
				var waits []*attempt
				for range 5 {
					p := startProc(t, store, opts)
					for range 4 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Second)
						defer cancel()
						waits = append(waits, p.lockLater(ctx, "x"))
					}
				}
				synctest.Wait()
				next := startProc(t, store, opts).lockLater(t.Context(), "x")
				next.pending(t)
				for _, w := range waits {
					w.refused(t, time.Second, context.DeadlineExceeded, holdgate.ErrNotAcquired)
					if w.took != time.Second {
						t.Errorf("told after %v; want 1s", w.took)
					}
				}
				pass(0)
				if n := len(placesOf(store, "x")); n != 2 {
					t.Errorf("%d places; want the holder's and the next one's", n)
				}
				mustRelease(t, h)
				mustRelease(t, next.granted(t, 0))
			})
		})
	}
}

// A middle waiter gives up, dies or loses its session: order is kept, nobody is stuck.
func TestS30_MiddleWaiterLeaves(t *testing.T) {
	for name, leave := range map[string]func(store *memdriver.Store, p *proc, cancel context.CancelFunc, placeID string){
		"gives up":         func(_ *memdriver.Store, _ *proc, cancel context.CancelFunc, _ string) { cancel() },
		"dies":             func(_ *memdriver.Store, p *proc, _ context.CancelFunc, _ string) { p.kill() },
		"closes":           func(_ *memdriver.Store, p *proc, _ context.CancelFunc, _ string) { p.Close(context.Background()) },
		"its entry is cut": func(store *memdriver.Store, _ *proc, _ context.CancelFunc, id string) { store.RemovePlace("x", id) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				ctx, cancel := context.WithCancel(t.Context())
				procs := make([]*proc, 5)
				waits := make([]*attempt, len(procs))
				for i := range procs {
					procs[i] = startProc(t, store, nil)
					c := t.Context()
					if i == 2 {
						c = ctx
					}
					waits[i] = procs[i].lockLater(c, "x")
					synctest.Wait()
				}
				leave(store, procs[2], cancel, placesOf(store, "x")[2].ID)
				for i, w := range waits {
					if i == 2 {
						w.refused(t, ttl, holdgate.ErrNotAcquired)
						continue
					}
					h := w.granted(t, ttl) // one that died is passed within T
					for _, behind := range waits[i+1:] {
						if behind != waits[2] {
							behind.pending(t)
						}
					}
					mustRelease(t, h)
				}
				cancel()
			})
		})
	}
}

// A waiter's deadline passes while the store is down: it returns in time, and the
// error matches both kinds.
func TestS31_DeadlineWhileStoreIsDown(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		for state, fresh := range map[string]bool{"before any session": true, "in line": false} {
			for mode, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
				t.Run(name+" "+state+" "+mode, func(t *testing.T) {
					inBubble(t, func(t *testing.T) {
						store := memdriver.NewStore()
						holder, p := startProc(t, store, nil), startProc(t, store, opts)
						holder.mustLock(t, "x")
						const patience = 20 * time.Second // longer than a session outlives an outage
						ctx, cancel := context.WithTimeout(t.Context(), patience)
						defer cancel()
						if fresh {
							p.drv.SetLink(link)
						}
						waits := p.queue(ctx, t, "x", 2)
						p.drv.SetLink(link)
						if fresh {
							// Without a session a Lock gives up after a TTL.
							waits[0].refused(t, patience, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
							waits[1].answered(t, patience)
							return
						}
						for _, w := range waits {
							w.refused(t, patience, context.DeadlineExceeded, holdgate.ErrNotAcquired)
							if w.took < patience || w.took > patience+50*time.Millisecond {
								t.Errorf("returned after %v; want %v", w.took, patience)
							}
						}
						p.drv.SetLink(memdriver.LinkUp)
						pass(ttl)
						if n := len(placesOf(store, "x")); n != 1 {
							t.Errorf("%d places; want the holder's", n)
						}
					})
				})
			}
		}
	}
}

// Store down: ErrUnavailable, never ErrBusy, whoever holds.
func TestS32_StoreDown(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder, p := startProc(t, store, nil), startProc(t, store, nil)
		holder.mustLock(t, "x")
		p.warm(t)
		for _, link := range []memdriver.Link{memdriver.LinkRefuses, memdriver.LinkHangs} {
			p.drv.SetLink(link)
			for range 3 {
				err := p.tryLater(t.Context(), "x").refused(t, ttl, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
				if errors.Is(err, holdgate.ErrBusy) {
					t.Errorf("%v matches ErrBusy", err)
				}
			}
		}
		p.drv.SetLink(memdriver.LinkUp)
		_, err := p.Mutex("x").TryLock(t.Context())
		wantErr(t, err, holdgate.ErrBusy)
		if errors.Is(err, holdgate.ErrUnavailable) {
			t.Errorf("%v matches ErrUnavailable", err)
		}
	})
}

// Acquired with a context of 1 s, then held for 3 T: the context bounds only the wait.
func TestS33_ContextBoundsWait(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				first, p := startProc(t, store, nil), startProc(t, store, opts)
				h := first.mustLock(t, "x")
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				w := p.lockLater(ctx, "x")
				w.pending(t)
				mustRelease(t, h)
				held := w.granted(t, 0)
				pass(3 * ttl)
				wantHeld(t, held)
				if err := held.Verify(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// T is 1 s, W waits 10 T: granted when released.
func TestS34_ShortTTL(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		short := &holdgate.Options{TTL: time.Second}
		a, b := startProc(t, store, short), startProc(t, store, short)
		h := a.mustLock(t, "x")
		w := b.lockLater(t.Context(), "x")
		pass(10 * time.Second)
		w.pending(t)
		wantHeld(t, h)
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
	})
}

// TryLock on a busy lock: ErrBusy, no entry left, the line unchanged, nobody woken,
// however often it is polled.
func TestS35_TryBusy(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder, p, watcher := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		holder.mustLock(t, "x")
		holder.lockLater(t.Context(), "x")
		p.warm(t)
		before := fmt.Sprintf("%+v", placesOf(store, "x"))
		ctx, cancel := context.WithCancel(t.Context())
		changes := 0
		watching := make(chan struct{})
		go func() { // ends with ctx
			defer close(watching)
			for _, err := range watcher.Watch(ctx, holdgate.Query{Name: "x"}) {
				if err == nil {
					changes++
				}
			}
		}()
		synctest.Wait()
		calls := p.faults.total()
		for range 1000 {
			_, err := p.Mutex("x").TryLock(t.Context())
			wantErr(t, err, holdgate.ErrBusy)
		}
		if n := p.faults.total() - calls; n != 1000 {
			t.Errorf("%d calls for 1,000 tries", n)
		}
		if after := fmt.Sprintf("%+v", placesOf(store, "x")); after != before {
			t.Errorf("the line was\n%s\nand is\n%s", before, after)
		}
		synctest.Wait()
		cancel()
		<-watching
		if changes != 1 {
			t.Errorf("the line was told %d times; want the first time only", changes)
		}
		if n := p.LocalLines() + p.OwnPlaces(); n > 0 {
			t.Errorf("%d local lines and places left", n)
		}
		holder.Close(t.Context())
	})
}

// Two TryLocks at once on a free lock: exactly one wins.
func TestS36_TwoTries(t *testing.T) {
	for name, together := range map[string]bool{"two clients": false, "one client": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a := startProc(t, store, nil)
				b := a
				if !together {
					b = startProc(t, store, nil)
				}
				for range 100 {
					one, two := a.tryLater(t.Context(), "x"), b.tryLater(t.Context(), "x")
					one.answered(t, 0)
					two.answered(t, 0)
					winner, loser := one, two
					if one.err != nil {
						winner, loser = two, one
					}
					wantErr(t, loser.err, holdgate.ErrBusy)
					mustRelease(t, winner.granted(t, 0))
				}
			})
		})
	}
}

// The store is restarted while some wait: they still get it, in order.
func TestS38_RestartWhileWaiting(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		procs := make([]*proc, 5)
		waits := make([]*attempt, len(procs))
		for i := range procs {
			procs[i] = startProc(t, store, nil)
			waits[i] = procs[i].lockLater(t.Context(), "x")
			synctest.Wait()
		}
		for i, w := range waits {
			for _, p := range procs {
				p.drv.SetLink(memdriver.LinkRefuses)
			}
			pass(2 * time.Second)
			for _, p := range procs {
				p.drv.SetLink(memdriver.LinkUp)
			}
			h := w.granted(t, 2*time.Second) // the pauses between attempts have grown to a second and a half
			for _, behind := range waits[i+1:] {
				behind.pending(t)
			}
			pass(ttl)
			mustRelease(t, h)
		}
	})
}

// The connection that carries wake-ups dies at the moment of release: granted within
// 1 s all the same. One that is woken without reason goes on waiting.
func TestS39_WakeUpLost(t *testing.T) {
	drop := func(link memdriver.Link) func(p *proc) {
		return func(p *proc) {
			p.drv.SetLink(link)
			time.AfterFunc(200*time.Millisecond, func() { p.drv.SetLink(memdriver.LinkUp) })
		}
	}
	for name, tt := range map[string]struct {
		wait   memdriver.Fault // of the first Wait
		before func(p *proc)   // just before the release
	}{
		"lost":                {wait: memdriver.Fault{Lose: memdriver.LoseAnswer}},
		"late":                {wait: memdriver.Fault{AnswerDelay: 500 * time.Millisecond}},
		"too early":           {wait: memdriver.Fault{WakeEarly: true}},
		"connection reset":    {before: drop(memdriver.LinkRefuses)},
		"connection stalls":   {before: drop(memdriver.LinkHangs)},
		"reset after a fault": {wait: memdriver.Fault{Lose: memdriver.LoseRequest}, before: drop(memdriver.LinkRefuses)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				holder, p := startProc(t, store, nil), startProc(t, store, nil)
				h := holder.mustLock(t, "x")
				p.warm(t)
				p.faults.next(memdriver.OpWait, tt.wait)
				w := p.lockLater(t.Context(), "x")
				w.pending(t)
				if tt.before != nil {
					tt.before(p)
				}
				mustRelease(t, h)
				mustRelease(t, w.granted(t, time.Second))
			})
		})
	}
}

// A waiter that has lived through many short outages is as quick after the next one as
// after the first: what it waits between attempts grows within an outage only.
func TestS39_AfterManyOutages(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder, p := startProc(t, store, nil), startProc(t, store, nil)
		h := holder.mustLock(t, "x")
		w := p.lockLater(t.Context(), "x")
		for range 20 {
			pass(3 * time.Second)
			p.drv.SetLink(memdriver.LinkRefuses)
			pass(time.Millisecond)
			p.drv.SetLink(memdriver.LinkUp)
		}
		pass(3 * time.Second)
		p.drv.SetLink(memdriver.LinkRefuses)
		mustRelease(t, h)
		pass(time.Millisecond)
		p.drv.SetLink(memdriver.LinkUp)
		mustRelease(t, w.granted(t, 100*time.Millisecond))
	})
}
