package drivertest

import (
	"slices"

	"github.com/holdgate/holdgate/driver"
)

func tryCases() []testCase {
	return []testCase{
		{
			name:   "try/free",
			reason: "A try on a free line is granted at once, as Enter is.",
			run:    tryFree,
		},
		{
			name: "try/busy-names-the-head",
			reason: "Who is refused wants to know who holds. The answer has it, so that nobody must ask in a " +
				"second call and be told about another holder.",
			needs: queue,
			run:   tryNamesTheHead,
		},
		{
			name: "try/leaves-no-ghost",
			reason: "A place left by a refused try is granted later to nobody, and blocks the line for good. " +
				"A job that polls with a try must not change the line at all (S35).",
			run: tryLeavesNoGhost,
		},
		{
			name: "try/does-not-overtake",
			reason: "A small try that fits beside the holders would starve the big request that waits: it " +
				"joins at the end, and the end does not fit (S54).",
			needs: all(queue, shared),
			run:   tryDoesNotOvertake,
		},
		{
			name:   "try/fits-beside",
			reason: "A try is judged by what fits, not by whether the line is empty.",
			needs:  all(queue, shared),
			run:    tryFitsBeside,
		},
		{
			name:   "try/after-leave",
			reason: "A lock that was given back is free for the very next try, on every handle.",
			run:    tryAfterLeave,
		},
	}
}

func tryFree(e *env) {
	a := e.actor()
	p := a.take(try(mutex("orders")))
	e.stands(e.dial(), "orders", p)
}

func tryNamesTheHead(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	claim := mutex("orders")
	claim.Data = []byte(`{"job":7}`)
	holder := a.take(claim)
	b.enter(mutex("orders"))
	busy := c.busy(mutex("orders"))
	if busy.Ahead != 2 {
		e.Errorf("got %d places ahead, want 2", busy.Ahead)
	}
	e.same(busy.Head, holder, "BusyError.Head")
}

func tryLeavesNoGhost(e *env) {
	a, b := e.actor(), e.actor()
	a.take(mutex("orders"))
	if e.Layout == driver.LayoutQueue {
		b.enter(mutex("orders"))
	}
	before := a.line("orders")
	known := len(b.present())
	claim := mutex("orders")
	for range e.rounds(100) {
		b.busy(claim)
	}
	after := a.line("orders")
	if !slices.EqualFunc(before.Places, after.Places, func(x, y driver.Place) bool {
		return identity(x) == identity(y)
	}) {
		e.Errorf("refused tries changed the line from\n%+v to\n%+v", before.Places, after.Places)
	}
	e.eventually("Present shows what it did before the refused tries", func() bool {
		return len(b.present()) == known
	})
	e.fails(b.ses.Leave(e.ctx(), claim.Line, claim.ID), driver.ErrGone, "Leave after a refused try")
}

func tryDoesNotOvertake(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(permits("gpu", 4, 3))
	big := b.enter(permits("gpu", 4, 2))
	c.busy(permits("gpu", 4, 1))
	a.stands("gpu", holder, big)
}

func tryFitsBeside(e *env) {
	a, b := e.actor(), e.actor()
	a.take(permits("gpu", 3, 1))
	p := b.take(try(permits("gpu", 3, 2)))
	b.busy(permits("gpu", 3, 1))
	b.leave(p)
	b.take(try(permits("gpu", 3, 1)))
	b.busy(permits("gpu", 3, 2))
}

func tryAfterLeave(e *env) {
	a, b := e.actor(), e.actor()
	for range e.rounds(50) {
		p := a.take(try(mutex("orders")))
		b.busy(mutex("orders"))
		a.leave(p)
		a, b = b, a
	}
}
