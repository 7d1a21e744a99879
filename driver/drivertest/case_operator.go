package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func operatorCases() []testCase {
	return []testCase{
		{
			name: "operator/removes-a-holder",
			reason: "Somebody deletes the entry in the store itself. The next one is granted, and whatever " +
				"the old holder does says that its place is gone (S13).",
			needs: canRemovePlace,
			run:   operatorRemovesHolder,
		},
		{
			name: "operator/removes-a-waiter",
			reason: "An entry that waits is deleted in the store: its waiter is told, and those behind it " +
				"are not stuck (S13).",
			needs: all(queue, canRemovePlace),
			run:   operatorRemovesWaiter,
		},
		{
			name: "operator/ends-a-session",
			reason: "The session is revoked in the store: its places are free, its waits end, and it never " +
				"comes back (S14).",
			needs: canEndSession,
			run:   operatorEndsSession,
		},
	}
}

func operatorRemovesHolder(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	e.Hooks.RemovePlace(e.TB, a.drv, "orders", p.ID)
	next := w.granted()
	e.fails(a.ses.Leave(e.ctx(), "orders", p.ID), driver.ErrGone, "Leave of a place that was deleted")
	a.await(p).fails(driver.ErrGone)
	b.stands("orders", next)
	a.renew()
	a.has()
}

func operatorRemovesWaiter(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w, behind := b.queue(mutex("orders")), c.queue(mutex("orders"))
	behind.pending()
	e.Hooks.RemovePlace(e.TB, a.drv, "orders", w.place.ID)
	w.fails(driver.ErrGone)
	behind.pending()
	a.leave(holder)
	behind.granted()
}

func operatorEndsSession(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	elsewhere := b.take(mutex("invoices"))
	var own *waiting
	if e.Layout == driver.LayoutQueue {
		own = a.queue(mutex("invoices"))
		own.pending()
	}
	w := b.queue(mutex("orders"))
	w.pending()
	e.Hooks.EndSession(e.TB, b.drv, a.ses.ID())
	next := w.granted()
	if own != nil {
		own.fails(driver.ErrSessionLost)
	}
	b.stands("invoices", elsewhere)
	b.leave(elsewhere)
	a.isLost(p)
	b.stands("orders", next)
}
