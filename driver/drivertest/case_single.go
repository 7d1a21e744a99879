package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func singleCases() []testCase {
	return []testCase{
		{
			name: "single/one-gets-it",
			reason: "Nobody waits in an order, but when the key is free one of those who wait gets it, and " +
				"the others go on waiting.",
			needs: single,
			run:   singleOneGetsIt,
		},
		{
			name:   "single/only-the-holder-stands",
			reason: "Those who wait have no place: what is shown is who holds.",
			needs:  single,
			run:    singleOnlyHolder,
		},
		{
			name:   "single/session-ends-while-waiting",
			reason: "An Enter that waits for the key ends with its session, and never gets it afterwards.",
			needs:  single,
			run:    singleSessionEnds,
		},
		{
			name:   "single/wait-has-nothing-to-do",
			reason: "Enter has waited already. Wait confirms what stands, and tells what does not.",
			needs:  single,
			run:    singleWait,
		},
	}
}

func singleOneGetsIt(e *env) {
	actors := e.actors(4)
	holder := actors[0].take(mutex("orders"))
	var waiters []*waiting
	for _, a := range actors[1:] {
		waiters = append(waiters, a.queue(mutex("orders")))
	}
	waiters[0].pending()
	actors[0].leave(holder)
	for len(waiters) > 0 {
		got := firstOf(waiters)
		waiters[got].granted()
		for i, w := range waiters {
			if i != got {
				w.pending()
			}
		}
		waiters[got].leave()
		waiters = append(waiters[:got], waiters[got+1:]...)
	}
	actors[0].stands("orders")
}

// firstOf awaits that one of them is granted, and returns which.
func firstOf(waiters []*waiting) int {
	e := waiters[0].a.env
	e.Helper()
	got := -1
	e.eventually("one of those who wait has the key", func() bool {
		for i, w := range waiters {
			if isClosed(w.returned) {
				got = i
			}
		}
		return got >= 0
	})
	return got
}

func singleOnlyHolder(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	b.stands("orders", holder)
	b.has()
	a.leave(holder)
	got := w.granted()
	a.stands("orders", got)
	b.has(got)
}

func singleSessionEnds(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	b.end()
	w.fails(driver.ErrSessionLost)
	a.leave(holder)
	a.stands("orders")
}

func singleWait(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.await(p).granted()
	a.leave(p)
	a.await(p).fails(driver.ErrGone)
	b.take(mutex("orders"))
	a.await(p).fails(driver.ErrGone)
}
