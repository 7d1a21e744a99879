package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func foreignCases() []testCase {
	return []testCase{
		{
			name: "foreign/is-a-holder",
			reason: "Another program's lock stands under the same key. It is respected and shown, though " +
				"nobody knows whose it is (S48).",
			needs: canAddForeign,
			run:   foreignIsHolder,
		},
		{
			name:   "foreign/waits-too",
			reason: "Other software that joins behind us gets its turn, and those behind it wait for it.",
			needs:  all(queue, canAddForeign),
			run:    foreignWaits,
		},
		{
			name: "foreign/goes-by-force-only",
			reason: "What other software made is never removed by the way: only if somebody says so " +
				"explicitly (S48).",
			needs: canAddForeign,
			run:   foreignForce,
		},
		{
			name: "foreign/is-no-other-kind",
			reason: "A foreign entry has no kind. Who meets one waits for it; ErrMismatch would send the " +
				"user looking for a wrong program.",
			needs: all(queue, shared, canAddForeign),
			run:   foreignNoMismatch,
		},
	}
}

// addForeign adds an entry of other software at the end of a line, and returns it
// as the line shows it.
func (e *env) addForeign(a *actor, line string) driver.Place {
	e.Helper()
	before := len(a.line(line).Places)
	e.Hooks.AddForeign(e.TB, a.drv, line)
	l := a.line(line)
	if len(l.Places) != before+1 {
		e.Fatalf("got %d places after an entry of other software was added to %d", len(l.Places), before)
	}
	p := l.Places[before]
	if !p.Foreign || p.ID == "" {
		e.Errorf("Line shows an entry of other software as %+v", p)
	}
	return p
}

func foreignIsHolder(e *env) {
	a := e.actor()
	foreign := e.addForeign(a, "orders")
	if !foreign.Granted {
		e.Error("the head of the line is not granted")
	}
	busy := a.busy(mutex("orders"))
	if !busy.Head.Foreign || busy.Ahead != 1 {
		e.Errorf("got the head %+v and %d ahead, want a foreign one and 1", busy.Head, busy.Ahead)
	}
	w := a.queue(mutex("orders"))
	w.pending()
	if l := a.line("orders"); l.Places[0].ID != foreign.ID {
		e.Errorf("the foreign entry was removed: %+v", l.Places)
	}
	w.cancel(errGaveUp)
	w.await(patience)
	e.withdraw(a, driver.Claim{Line: "orders", ID: w.place.ID})
	a.stands("orders", foreign)
}

func foreignWaits(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	foreign := e.addForeign(a, "orders")
	if foreign.Granted {
		e.Error("a foreign entry behind a holder is shown as granted")
	}
	w := b.queue(mutex("orders"))
	a.leave(holder)
	w.pending()
	b.stands("orders", foreign, w.place)
	b.evict(foreign, driver.Eviction{Force: true})
	w.granted()
}

func foreignForce(e *env) {
	a := e.actor()
	foreign := e.addForeign(a, "orders")
	e.fails(a.drv.Evict(e.ctx(), "orders", foreign.ID, ask("ours")), driver.ErrUnsupported,
		"Evict of an entry of other software without force")
	a.stands("orders", foreign)
	w := a.queue(mutex("orders"))
	w.pending()
	a.evict(foreign, driver.Eviction{Force: true})
	w.granted()
	a.stands("orders", w.place)
}

func foreignNoMismatch(e *env) {
	a, b := e.actor(), e.actor()
	foreign := e.addForeign(a, "catalog")
	first := a.queue(reader("catalog"))
	second := b.queue(reader("catalog"))
	zero := b.enter(withClaimUnits(reader("catalog"), 0))
	if !zero.Granted {
		e.Error("a place of no units is not granted behind a foreign entry")
	}
	first.pending()
	second.pending()
	a.evict(foreign, driver.Eviction{Force: true})
	first.granted()
	second.granted()
}

func withClaimUnits(c driver.Claim, units int64) driver.Claim {
	c.Units = units
	return c
}
