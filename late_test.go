package holdgate_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Answers that come too late: what was true when the store answered is not true any
// more when the process goes on.

// The process is stopped for 3 T between the store's yes and its own learning of it:
// it must not believe a yes of a session that is gone.
func TestS05_StoppedWhileAcquiring(t *testing.T) {
	for _, op := range []memdriver.Op{memdriver.OpEnter, memdriver.OpWait, memdriver.OpSwap} {
		for mode, opts := range map[string]*holdgate.Options{"local lines": {Handoff: holdgate.Handoff{Grants: 1}}, "strict": strict()} {
			if op == memdriver.OpSwap && opts.Handoff.Strict {
				continue // there only where a release that nobody waits for meets a Lock
			}
			t.Run(fmt.Sprint(op, " ", mode), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					store := memdriver.NewStore()
					p, other := startProc(t, store, opts), startProc(t, store, nil)
					p.warm(t)
					p.faults.next(op, memdriver.Fault{Applied: p.clock.Pause})
					var w *attempt
					switch op {
					case memdriver.OpEnter:
						w = p.lockLater(t.Context(), "x")
					case memdriver.OpWait:
						h := other.mustLock(t, "x")
						w = p.lockLater(t.Context(), "x")
						w.pending(t)
						mustRelease(t, h)
					case memdriver.OpSwap:
						h := p.mustLock(t, "x")
						w = p.lockLater(t.Context(), "x")
						w.pending(t)
						mustRelease(t, h)
					}
					synctest.Wait()
					yes := placesOf(store, "x")
					if len(yes) != 1 || !yes[0].Granted {
						t.Fatalf("the store has not said yes: this run shows nothing: %+v", yes)
					}
					h := other.lockLater(t.Context(), "x").granted(t, ttl)
					pass(3 * ttl)
					p.clock.Resume()
					w.pending(t)
					pass(ttl)
					wantHeld(t, h)
					mustRelease(t, h)
					late := w.granted(t, time.Second)
					if late.PlaceID() == yes[0].ID {
						t.Error("granted on the place of the session that is gone")
					}
					mustRelease(t, late)
					wantNothingLeft(t, store)
				})
			})
		}
	}
}

// The session is revoked around a call: those who wait get in line again, those who
// release are told.
func TestSessionRevokedAroundCall(t *testing.T) {
	for _, op := range []memdriver.Op{memdriver.OpEnter, memdriver.OpWait, memdriver.OpSwap} {
		for when, before := range map[string]bool{"before": true, "after": false} {
			t.Run(fmt.Sprint(when, " ", op), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					store := memdriver.NewStore()
					p := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
					p.warm(t)
					session := store.Sessions()[0]
					other := startProc(t, store, nil)
					revoke := func() { store.ExpireSession(session) }
					once := false
					p.faults.ask(op, func(memdriver.Call) memdriver.Fault {
						if once {
							return memdriver.Fault{}
						}
						once = true
						if before {
							revoke()
							return memdriver.Fault{}
						}
						return memdriver.Fault{Applied: revoke}
					})
					var w *attempt
					switch op {
					case memdriver.OpEnter:
						w = p.lockLater(t.Context(), "x")
					case memdriver.OpWait:
						h := other.mustLock(t, "x")
						w = p.lockLater(t.Context(), "x")
						synctest.Wait()
						mustRelease(t, h)
					case memdriver.OpSwap:
						h := p.mustLock(t, "x")
						w = p.lockLater(t.Context(), "x")
						w.pending(t)
						mustRelease(t, h)
					}
					h := w.granted(t, time.Second)
					pass(ttl)
					if before {
						wantHeld(t, h)
						mustRelease(t, h)
					} else {
						// Granted, and lost just then: the next renewal tells at the latest.
						_ = h.Release(t.Context())
					}
					mustRelease(t, p.lockLater(t.Context(), "x").granted(t, time.Second))
					pass(ttl)
					wantNothingLeft(t, store)
					if n := p.LocalLines() + p.OwnPlaces(); n > 0 {
						t.Errorf("%d local lines and places left", n)
					}
				})
			})
		}
	}
}

// An error of no known kind says nothing about the place: both the old and the new
// one are left, in the background.
func TestUnknownErrorOfSwap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
		h := p.mustLock(t, "x")
		waits := p.queue(t.Context(), t, "x", 2)
		p.faults.next(memdriver.OpSwap, memdriver.Fault{Err: driver.ErrConflict})
		mustRelease(t, h)
		for _, w := range waits {
			w.refused(t, 0, holdgate.ErrNotAcquired, driver.ErrConflict)
		}
		pass(0)
		wantNothingLeft(t, store)
		if n := p.OwnPlaces(); n > 0 {
			t.Errorf("%d places are still known", n)
		}
	})
}
