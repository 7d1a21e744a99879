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

const lingers = 50 * time.Millisecond

func startLingering(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	return startProc(t, store, &holdgate.Options{Owner: "lingers", Linger: lingers})
}

// use locks and releases.
func (p *proc) use(t testing.TB, name string) *holdgate.Hold {
	t.Helper()
	h := p.mustLock(t, name)
	mustRelease(t, h)
	return h
}

// settle uses the lock until the line is followed: from then on it lingers.
func (p *proc) settle(t testing.TB, name string) {
	t.Helper()
	p.use(t, name)
	synctest.Wait()
	p.use(t, name)
	synctest.Wait()
}

// A lock that the same process takes again and again costs the store nothing, as long as
// nobody else wants it. Each grant has a token of its own.
func TestLinger(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startLingering(t, store)
		p.settle(t, "x")
		before := p.faults.total(memdriver.OpEnter, memdriver.OpLeave, memdriver.OpSwap, memdriver.OpWait, memdriver.OpWatch)
		last := holdgate.Token(0)
		for range 20 {
			h := p.mustLock(t, "x")
			if h.Token() <= last {
				t.Fatalf("token %v after %v", h.Token(), last)
			}
			last = h.Token()
			pass(lingers / 10)
			mustRelease(t, h)
			pass(lingers / 4)
		}
		if n := p.faults.total(memdriver.OpEnter, memdriver.OpLeave, memdriver.OpSwap, memdriver.OpWait, memdriver.OpWatch) - before; n > 0 {
			t.Errorf("%d calls for 20 locks; want none", n)
		}
		if n := len(placesOf(store, "x")); n != 1 {
			t.Errorf("%d places; want the one that is kept", n)
		}
		pass(lingers)
		wantNothingLeft(t, store)
		pass(lingers)
		if n := p.LocalLines(); n > 0 {
			t.Errorf("%d local lines are left of a lock that nobody uses", n)
		}
	})
}

// A place that is kept is not used for ever: what the watch does not show may be there all the
// same. It goes to the end of the store's line by a Swap, one commit.
func TestLingerBound(t *testing.T) {
	for name, tt := range map[string]struct {
		options holdgate.Options
		rest    time.Duration
		uses    int
	}{
		"by count": {holdgate.Options{Linger: lingers, Handoff: holdgate.Handoff{Grants: 10}}, 0, 100},
		"by time":  {holdgate.Options{Linger: holdgate.MaxLinger}, 90 * time.Millisecond, 30},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, &tt.options)
				p.settle(t, "x")
				places := make(map[string]int)
				var since time.Time
				for range tt.uses {
					h := p.mustLock(t, "x")
					if places[h.PlaceID()]++; places[h.PlaceID()] == 1 {
						since = time.Now()
					}
					if served := time.Since(since); served > time.Second {
						t.Fatalf("a place serves for %v", served)
					}
					mustRelease(t, h)
					pass(tt.rest)
				}
				for _, n := range places {
					if limit := 10; n > limit && name == "by count" {
						t.Errorf("a place served %d times; want at most %d", n, limit)
					}
				}
				if len(places) < 2 || len(places) > tt.uses/5 {
					t.Errorf("%d places for %d grants", len(places), tt.uses)
				}
			})
		})
	}
}

// As soon as somebody else is in line the place is left: what it costs them is one push and
// one leave.
func TestLingerGivesWay(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLingering(t, store), startProc(t, store, nil)
		p.settle(t, "x")
		h := other.lockLater(t.Context(), "x").granted(t, 0)
		// Nothing lingers while it is known that somebody waits.
		w := p.lockLater(t.Context(), "x")
		w.pending(t)
		next := other.lockLater(t.Context(), "x")
		pass(holdgate.DefaultHandoffTime)
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
		mustRelease(t, next.granted(t, 0))
		pass(lingers)
		wantNothingLeft(t, store)
	})
}

// Somebody who comes while the lock is held again is not made to wait for another round.
func TestLingerGivesWayAfterHold(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLingering(t, store), startProc(t, store, nil)
		p.settle(t, "x")
		h := p.mustLock(t, "x")
		w := other.lockLater(t.Context(), "x")
		w.pending(t)
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
	})
}

// Goroutines that queue in the process do not send the place to the end of a line in which
// nobody else is.
func TestLingerPassesOnAlone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLingering(t, store), startProc(t, store, nil)
		p.settle(t, "x")
		h := p.mustLock(t, "x")
		waits := p.queue(t.Context(), t, "x", 5)
		for i, w := range waits {
			pass(3 * holdgate.DefaultHandoffTime)
			mustRelease(t, h)
			if i == 3 {
				break
			}
			h = w.granted(t, 0)
		}
		h = waits[3].granted(t, 0)
		if n := p.faults.count(memdriver.OpSwap); n > 0 {
			t.Errorf("%d swaps, and nobody else was in line", n)
		}
		between := other.lockLater(t.Context(), "x")
		between.pending(t)
		mustRelease(t, h)
		mustRelease(t, between.granted(t, 0))
		mustRelease(t, waits[4].granted(t, 0))
	})
}

// While the watch says nothing, not yet or not any more, a released lock is given back.
func TestLingerNeedsTheWatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startLingering(t, store)
		lift := p.faults.always(memdriver.OpWatch, memdriver.Fault{Err: errStoreDown})
		p.settle(t, "x")
		wantNothingLeft(t, store)
		lift()
		pass(2 * lingers)
		p.settle(t, "x")
		if n := len(placesOf(store, "x")); n != 1 {
			t.Fatalf("%d places; want the one that is kept", n)
		}
		p.drv.SetLink(memdriver.LinkRefuses) // which ends the watch
		synctest.Wait()
		p.drv.SetLink(memdriver.LinkUp)
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// What is lost while it lingers is granted to nobody: the next Lock gets in line anew.
func TestLingerLost(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, store *memdriver.Store, p *proc){
		"expired": func(_ *testing.T, _ *memdriver.Store, p *proc) {
			p.clock.Pause()
			pass(time.Second)
			p.clock.Resume()
		},
		"session ended": func(t *testing.T, store *memdriver.Store, p *proc) {
			for _, at := range placesOf(store, "x") {
				store.ExpireSession(at.Session)
			}
			for p.events.of(holdgate.EventSessionLost) == nil {
				p.use(t, "x")
				pass(lingers / 2)
			}
		},
		"place removed": func(t *testing.T, store *memdriver.Store, p *proc) {
			id := placesOf(store, "x")[0].ID
			store.RemovePlace("x", id)
			for range 50 {
				p.use(t, "x")
				pass(lingers / 2)
			}
		},
		"evicted": func(t *testing.T, store *memdriver.Store, p *proc) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := p.Evict(ctx, "x", placesOf(store, "x")[0].ID, holdgate.Eviction{}); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, &holdgate.Options{TTL: time.Second, Linger: lingers})
				other := startProc(t, store, nil)
				p.settle(t, "x")
				before := placesOf(store, "x")[0].ID
				lose(t, store, p)
				hb := other.lockLater(t.Context(), "x").granted(t, time.Second)
				w := p.lockLater(t.Context(), "x")
				w.pending(t)
				wantHeld(t, hb)
				mustRelease(t, hb)
				h := w.granted(t, time.Second)
				if h.PlaceID() == before {
					t.Error("granted on a place that was lost")
				}
				mustRelease(t, h)
				pass(2 * lingers)
				wantNothingLeft(t, store)
			})
		})
	}
}

// The next Lock looks itself whether what was kept can be believed, before any timer has run.
func TestLingerJudgedByTheNextLock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, &holdgate.Options{TTL: time.Second, Linger: holdgate.MaxLinger})
		p.settle(t, "x")
		p.faults.always(memdriver.OpRenew, memdriver.Fault{Err: errStoreDown})
		pass(600 * time.Millisecond)
		p.settle(t, "x")
		kept := placesOf(store, "x")
		p.clock.Pause()
		pass(350 * time.Millisecond) // less than a place serves for, more than is left of the trust
		p.faults.clear()
		p.clock.Resume()
		h := p.mustLock(t, "x")
		if len(kept) > 0 && h.PlaceID() == kept[0].ID {
			t.Error("granted on the place of a session that is over")
		}
		wantHeld(t, h)
		mustRelease(t, h)
	})
}

// Whoever waits when the process dies that keeps a lock, waits for its TTL.
func TestLingerHolderKilled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLingering(t, store), startProc(t, store, nil)
		p.settle(t, "x")
		p.kill()
		w := other.lockLater(t.Context(), "x")
		w.pending(t)
		mustRelease(t, w.granted(t, ttl))
	})
}

// A place that is kept is in nobody's way in its own process, and is what a try finds.
func TestLingerAndTries(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLingering(t, store), startProc(t, store, nil)
		p.settle(t, "x")
		before := p.faults.total(memdriver.OpEnter)
		h, err := p.Mutex("x").TryLock(t.Context())
		if err != nil || p.faults.total(memdriver.OpEnter) != before {
			t.Fatalf("own try: %v", err)
		}
		_, err = p.Mutex("x").TryLock(t.Context())
		wantErr(t, err, holdgate.ErrBusy)
		mustRelease(t, h)

		var busy *holdgate.BusyError
		if _, err = other.Mutex("x").TryLock(t.Context()); !errors.As(err, &busy) || busy.Holder.Owner != "lingers" {
			t.Errorf("a try elsewhere: %v", err)
		}
		all, err := p.TryLockAll(t.Context(), "w", "x")
		if err != nil {
			t.Fatalf("with others: %v", err)
		}
		mustRelease(t, all)
		p.settle(t, "x")
		if all, err = p.LockAll(t.Context(), "w", "x"); err != nil {
			t.Fatal(err)
		}
		mustRelease(t, all)
	})
}

// Nobody else wants the lock: a try here is not told that it is busy, by the place that is
// on its way out.
func TestLingerGivesBackSlowly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startLingering(t, store)
		p.settle(t, "x")
		p.faults.next(memdriver.OpLeave, memdriver.Fault{Delay: 100 * time.Millisecond})
		pass(lingers + time.Millisecond)
		if n := len(placesOf(store, "x")); n != 1 {
			t.Fatalf("%d places; want the one that is being left", n)
		}
		mustRelease(t, p.tryLater(t.Context(), "x").granted(t, time.Second))
	})
}

// Close gives back what is kept.
func TestLingerClose(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLingering(t, store), startProc(t, store, nil)
		p.settle(t, "x")
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantNothingLeft(t, store)
		mustRelease(t, other.mustLock(t, "x"))
	})
}

// What cannot work is refused by New.
func TestLingerRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		drv := memdriver.New()
		for _, o := range []holdgate.Options{
			{Linger: -1}, {Linger: holdgate.MaxLinger + 1}, {Linger: lingers, Handoff: holdgate.Handoff{Strict: true}},
		} {
			if _, err := holdgate.New(drv, &o); err == nil {
				t.Errorf("%+v was accepted", o)
			}
		}
		_, err := holdgate.New(oneKey{drv}, &holdgate.Options{Linger: lingers})
		wantErr(t, err, holdgate.ErrUnsupported)
	})
}
