package drivertest

import (
	"strings"

	"github.com/holdgate/holdgate/driver"
)

func evictForceCases() []testCase {
	return []testCase{
		{
			name: "evict/force",
			reason: "The last resort for a holder that hangs: its place goes at once, the next one is " +
				"granted, and the old holder can find out.",
			run: evictForce,
		},
		{
			name:   "evict/force-a-waiter",
			reason: "By force or not, a waiter that is evicted is gone, and told.",
			needs:  queue,
			run:    evictForceWaiter,
		},
		{
			name:   "evict/force-after-a-mark",
			reason: "A holder that was asked and does not go can still be removed; no mark stays behind.",
			needs:  queue,
			run:    evictForceMarked,
		},
		{
			name:   "evict/wakes-those-behind",
			reason: "A waiter that took too much is evicted: those behind it may fit now.",
			needs:  all(queue, shared),
			run:    evictWakes,
		},
		{
			name:   "evict/longest-reason",
			reason: "Operators explain themselves at length: 1024 bytes of any text come through.",
			needs:  queue,
			run:    evictLongestReason,
		},
		{
			name:   "evict/shown-by-watch",
			reason: "A mark is a change of the line, so whoever watches sees it.",
			needs:  queue,
			run:    evictShownByWatch,
		},
	}
}

func evictForce(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	p := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	force := ask("it hangs")
	force.Force = true
	c.evict(p, force)
	next := w.granted()
	c.stands("orders", next)
	e.fails(a.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrGone, "Leave of a place that was removed")
	if e.Layout == driver.LayoutQueue {
		a.await(p).fails(driver.ErrGone)
		_, err := a.ses.Update(e.ctx(), p)
		e.fails(err, driver.ErrGone, "Update of a place that was removed")
	}
	_, err := a.ses.Swap(e.ctx(), p, mutex("orders"))
	e.fails(err, driver.ErrGone, "Swap of a place that was removed")
	e.eventually("Present no longer shows the place that was removed", func() bool { return len(a.present()) == 0 })
	c.stands("orders", next)
}

func evictForceWaiter(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w, behind := b.queue(mutex("orders")), c.queue(mutex("orders"))
	behind.pending()
	c.evict(w.place, driver.Eviction{Force: true})
	w.fails(driver.ErrGone)
	behind.pending()
	a.stands("orders", holder, behind.place)
}

func evictForceMarked(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	b.evict(p, ask("please"))
	if marks := a.renew(); len(marks) != 1 {
		e.Fatalf("Renew told %d evictions, want 1", len(marks))
	}
	b.evict(p, driver.Eviction{Reason: "now", By: "ops", Force: true})
	if marks := a.renew(); len(marks) != 0 {
		e.Errorf("Renew told %+v of a place that is gone", marks)
	}
	if next := b.take(mutex("orders")); next.Eviction != nil {
		e.Errorf("the next holder was born with the mark %+v", next.Eviction)
	}
}

func evictWakes(e *env) {
	actors := e.actors(4)
	actors[0].take(permits("gpu", 4, 2))
	big := actors[1].queue(permits("gpu", 4, 4))
	small := actors[2].queue(permits("gpu", 4, 2))
	small.pending()
	actors[3].evict(big.place, ask("too much"))
	big.fails(driver.ErrGone)
	small.granted()
}

func evictLongestReason(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	reason := strings.Repeat(`"<锁>"`, driver.MaxReason)
	reason = strings.ToValidUTF8(reason[:driver.MaxReason], "")
	b.evict(p, ask(reason))
	marks := a.renew()
	if len(marks) != 1 {
		e.Fatalf("Renew told %d evictions, want 1", len(marks))
	}
	e.isMark(marks[0], p, reason)
}

func evictShownByWatch(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	w := e.watch(b.drv, driver.Query{Name: "orders"})
	w.shows("orders", p)
	b.evict(p, ask("maintenance"))
	w.until("the mark", func(lines map[string]driver.Line) bool {
		places := lines["orders"].Places
		return len(places) == 1 && places[0].Eviction != nil && places[0].Eviction.Reason == "maintenance"
	})
}
