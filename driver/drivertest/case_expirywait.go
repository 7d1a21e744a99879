package drivertest

import (
	"time"

	"github.com/holdgate/holdgate/driver"
)

func expiryWaiterCases() []testCase {
	return []testCase{
		{
			name: "expiry/waiter",
			reason: "A waiter whose session expired is told, and never granted. Its place is removed before " +
				"anybody behind is let past it (S06).",
			needs: all(queue, expires), slow: true,
			run: expiryWaiter,
		},
		{
			name: "expiry/waiter-crashed",
			reason: "The next in line is dead when the holder leaves. Those behind it wait for its TTL, and " +
				"no longer (S30, S44).",
			needs: queue, slow: true,
			run: expiryWaiterCrashed,
		},
		{
			name: "expiry/of-one-reader",
			reason: "Readers do not keep each other alive: the dead one's place goes by its own TTL though the " +
				"others renew. The writer needs them all to be gone (S08).",
			needs: all(queue, shared), slow: true,
			run: expiryOfOneReader,
		},
		{
			name:   "expiry/shown-by-watch",
			reason: "Membership is a line of presences. A member that died must be seen to go.",
			needs:  queue, slow: true,
			run: expiryShownByWatch,
		},
	}
}

func expiryWaiter(e *env) {
	a, c := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	dying := e.openLease()
	w := dying.queue(mutex("orders"))
	behind := c.queue(mutex("orders"))
	w.failsWithin(dying.deathIn()+patience, driver.ErrSessionLost)
	dying.freedAt(w.at)
	behind.pending()
	a.stands("orders", holder, behind.place)
	a.leave(holder)
	behind.granted()
	a.stands("orders", behind.place)
	dying.isLost(w.place)
}

func expiryWaiterCrashed(e *env) {
	a, c := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	dying := e.mortal()
	next := dying.enter(mutex("orders"))
	behind := c.queue(mutex("orders"))
	died := time.Now()
	dying.crash()
	a.leave(holder)
	behind.grantedWithin(dying.deathIn() + patience)
	a.stands("orders", behind.place)
	if after := behind.at.Sub(died); after > dying.deathIn() {
		e.Errorf("the dead waiter %s stood for %v, want at most %v", next.ID, after, dying.deathIn())
	}
}

func expiryOfOneReader(e *env) {
	dying, living := e.mortal(), e.actor()
	dying.take(reader("catalog"))
	other := living.take(reader("catalog"))
	write := e.actor().queue(writer("catalog"))
	w := e.watch(living.drv, driver.Query{Name: "catalog"})
	dying.crash()
	w.untilWithin(dying.deathIn(), "the dead reader gone", func(lines map[string]driver.Line) bool {
		places := lines["catalog"].Places
		return len(places) == 2 && places[0].ID == other.ID
	})
	write.pending()
	living.renew()
	living.leave(other)
	write.granted()
}

func expiryShownByWatch(e *env) {
	dying, living := e.mortal(), e.actor()
	claim := presence
	if !e.Shared {
		claim = mutex
	}
	gone := dying.take(claim("members"))
	w := e.watch(living.drv, driver.Query{Prefix: true})
	w.shows("members", gone)
	dying.crash()
	w.untilWithin(dying.deathIn(), "the dead member gone", func(lines map[string]driver.Line) bool {
		return len(lines["members"].Places) == 0
	})
}
