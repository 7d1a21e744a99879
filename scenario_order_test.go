package holdgate_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// 100,000 hand-overs between two processes: no wait comes near T.
func TestS40_ManyHandovers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		var longest time.Duration
		var inside room
		var mu sync.Mutex
		var wg sync.WaitGroup
		rounds := scaled(100_000, 5_000) / 2
		for range 2 {
			c := newClient(t, store, nil)
			wg.Go(func() {
				for range rounds {
					begun := time.Now()
					h, err := c.Mutex("x").Lock(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					inside.enter(h.Token())
					mu.Lock()
					longest = max(longest, time.Since(begun))
					mu.Unlock()
					time.Sleep(time.Millisecond)
					inside.leave()
					if err := h.Release(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		inside.want(t, 2*rounds)
		if longest > 2*time.Millisecond {
			t.Errorf("the longest wait took %v, with holds of 1ms by two", longest)
		}
	})
}

// 50 waiters in 5 processes: granted in order of arrival with the local hand-off off.
func TestS41_OrderOfArrival(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		first := startProc(t, store, strict())
		procs := make([]*proc, 5)
		for i := range procs {
			procs[i] = startProc(t, store, strict())
		}
		h := first.mustLock(t, "x")
		waits := make([]*attempt, 50)
		for i := range waits {
			waits[i] = procs[i*7%5].lockLater(t.Context(), "x")
			waits[i].pending(t)
		}
		for i, w := range waits {
			mustRelease(t, h)
			h = w.granted(t, 0)
			for _, behind := range waits[i+1:] {
				behind.pending(t)
			}
		}
		mustRelease(t, h)
	})
}

// With the local hand-off on a waiter is passed at most by its bound: so many grants, or
// so long a time and one hold, for each process in line ahead of it.
func TestS41_PassedWithinBound(t *testing.T) {
	for name, tt := range map[string]struct {
		handoff holdgate.Handoff
		hold    time.Duration
		most    int // grants that pass the waiter
	}{
		"by count": {holdgate.Handoff{Grants: 20, Time: time.Second}, time.Millisecond, 20},
		"by time":  {holdgate.Handoff{}, 4 * time.Millisecond, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				busy, other := startProc(t, store, &holdgate.Options{Handoff: tt.handoff}), startProc(t, store, nil)
				h := busy.mustLock(t, "x")
				waits := map[string][]*attempt{
					"-": busy.queue(t.Context(), t, "x", 60),
					"o": other.queue(t.Context(), t, "x", 1),
				}
				order, _ := turns(t, tt.hold, h, "-", waits)
				passed := 0
				for _, who := range order {
					if who == 'o' {
						break
					}
					passed++
				}
				if passed > tt.most {
					t.Errorf("passed by %d grants; want at most %d: %s", passed, tt.most, order)
				}
			})
		})
	}
}

// 64 waiters: a release wakes one, and a hand-over takes at most 3 operations of the
// store.
func TestS42_NoHerd(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": {Handoff: holdgate.Handoff{Grants: 1}}, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				procs := make([]*proc, 8)
				var waits []*attempt
				for i := range procs {
					procs[i] = startProc(t, store, opts)
					procs[i].warm(t)
				}
				for range 8 {
					for _, p := range procs {
						waits = append(waits, p.lockLater(t.Context(), "x"))
						synctest.Wait()
					}
				}
				ops := func() (n int) {
					for _, p := range procs {
						n += p.faults.total(memdriver.OpEnter, memdriver.OpLeave, memdriver.OpWait, memdriver.OpSwap,
							memdriver.OpLine, memdriver.OpPresent, memdriver.OpUpdate)
					}
					return n
				}
				for i, w := range waits {
					h := w.granted(t, 0)
					before := ops()
					mustRelease(t, h)
					synctest.Wait()
					if n := ops() - before; n > 3 {
						t.Errorf("hand-over %d took %d operations", i, n)
					}
					woken := 0
					for _, behind := range waits[i+1:] {
						select {
						case <-behind.done:
							woken++
						default:
						}
					}
					if i+1 < len(waits) && woken != 1 {
						t.Fatalf("hand-over %d woke %d", i, woken)
					}
				}
			})
		})
	}
}

// 100 waiters for 60 s: nobody asks for anything but the renewals, and once per TTL what
// the store has.
func TestS43_NoPolling(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder := startProc(t, store, nil)
		h := holder.mustLock(t, "x")
		procs := make([]*proc, 100)
		for i := range procs {
			procs[i] = startProc(t, store, nil)
			procs[i].lockLater(t.Context(), "x")
		}
		pass(2 * time.Second)
		ops := func(of ...memdriver.Op) (n int) {
			for _, p := range procs {
				n += p.faults.total(of...)
			}
			return n
		}
		all, heart := ops(), ops(memdriver.OpRenew, memdriver.OpPresent)
		pass(60 * time.Second)
		all, heart = ops()-all, ops(memdriver.OpRenew, memdriver.OpPresent)-heart
		if all != heart {
			t.Errorf("%d operations besides the heartbeat", all-heart)
		}
		if want := 100 * (16 + 4); heart > want {
			t.Errorf("%d operations of the heartbeat in 60 s; want %d", heart, want)
		}
		wantHeld(t, h)
		for _, p := range procs {
			p.Close(t.Context())
		}
	})
}

// kill -9 of H: W is granted within T and 1 s and what the store is late. kill -9 of a
// waiter ahead: passed within T.
func TestS44_Killed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder, ahead, p := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		holder.mustLock(t, "x")
		dead := ahead.lockLater(t.Context(), "x")
		dead.pending(t)
		w := p.lockLater(t.Context(), "x")
		w.pending(t)
		pass(renewEvery - time.Millisecond)
		ahead.kill()
		holder.kill()
		h := w.granted(t, ttl+time.Second)
		dead.refused(t, 0, holdgate.ErrNotAcquired)
		mustRelease(t, h)
	})
}

func TestS44_WaiterAheadKilled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder, ahead, p := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		h := holder.mustLock(t, "x")
		dead := ahead.lockLater(t.Context(), "x")
		dead.pending(t)
		w := p.lockLater(t.Context(), "x")
		w.pending(t)
		ahead.kill()
		mustRelease(t, h)
		w.pending(t) // a place counts until it is removed
		mustRelease(t, w.granted(t, ttl))
		dead.refused(t, ttl, holdgate.ErrNotAcquired)
	})
}
