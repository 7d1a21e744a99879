package holdgate_test

import (
	"testing"
	"testing/synctest"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// startNudged starts a process whose sessions hear at once what a renewal would tell.
func startNudged(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock, Nudge: true})
	p.open(t, p.drv, nil)
	return p
}

// A session that is ended before its time is not believed until the next renewal.
func TestNudgedOfLostSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startNudged(t, store), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		next := other.lockLater(t.Context(), "x")
		next.pending(t)
		store.ExpireSession(placesOf(store, "x")[0].Session)
		synctest.Wait()
		wantLost(t, h, holdgate.LostSession)
		mustRelease(t, next.granted(t, 0))
		mustRelease(t, p.mustLock(t, "x"))
	})
}

// A holder that is asked to go is told at once.
func TestNudgedOfEviction(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startNudged(t, store), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		err := other.drv.Evict(t.Context(), "x", h.PlaceID(), driver.Eviction{Reason: "maintenance"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantLost(t, h, holdgate.LostEvicted)
	})
}

// A nudge while the store is away changes nothing: renewals go on as they are due.
func TestNudgedWhileAway(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startNudged(t, store), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		lift := p.faults.always(memdriver.OpRenew, memdriver.Fault{Lose: memdriver.LoseRequest})
		err := other.drv.Evict(t.Context(), "x", h.PlaceID(), driver.Eviction{Reason: "maintenance"})
		if err != nil {
			t.Fatal(err)
		}
		pass(renewEvery)
		wantHeld(t, h)
		lift()
		pass(renewEvery)
		wantLost(t, h, holdgate.LostEvicted)
	})
}
