package drivertest

import (
	"errors"

	"github.com/holdgate/holdgate/driver"
)

func closedCases() []testCase {
	return []testCase{
		{
			name: "closed/later-calls",
			reason: "A handle that was closed says so, whatever is asked of it. Its answers must not look " +
				"like the store's.",
			run: closedLaterCalls,
		},
		{
			name:   "closed/calls-under-way",
			reason: "Closing a handle ends what still waits on it: a program that shuts down must not hang (S26).",
			run:    closedCallsUnderWay,
		},
		{
			name:   "closed/other-handles",
			reason: "Handles on one store are independent: closing one does not disturb the next.",
			run:    closedOtherHandles,
		},
		{
			name:   "closed/beside-calls",
			reason: "Closing races with calls in a real program; each of them ends, with an answer or with ErrClosed.",
			run:    closedBesideCalls,
		},
	}
}

func closedLaterCalls(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	a.crash()
	for _, op := range a.operations(p) {
		e.fails(op.call(e.ctx()), driver.ErrClosed, "%s on a closed handle", op.name)
	}
}

func closedCallsUnderWay(e *env) {
	a, b := e.actor(), e.actor()
	a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	if e.Layout == driver.LayoutQueue {
		watch := e.watch(b.drv, driver.Query{Prefix: true})
		watch.until("the holder", func(lines map[string]driver.Line) bool { return len(lines["orders"].Places) > 0 })
		b.crash()
		watch.await()
		e.fails(watch.err, driver.ErrClosed, "Watch on a handle that is closed")
	} else {
		b.crash()
	}
	w.fails(driver.ErrClosed)
}

func closedOtherHandles(e *env) {
	a, b := e.actor(), e.actor()
	p := b.take(mutex("orders"))
	a.crash()
	b.stands("orders", p)
	b.renew()
	b.leave(p)
	b.take(mutex("invoices"))
}

func closedBesideCalls(e *env) {
	for range e.rounds(30) {
		a := e.actor()
		p := a.take(mutex("orders/" + newID()))
		calls := []func() error{a.drv.Close}
		for _, op := range a.operations(p) {
			calls = append(calls, func() error { return op.call(e.ctx()) })
		}
		for i, err := range e.together(calls...) {
			if i == 0 {
				e.must(err, "Driver.Close")
			} else if err != nil && !errors.Is(err, driver.ErrClosed) && !answersOfStore(err) {
				e.Errorf("a call beside Driver.Close: %v", err)
			}
		}
	}
}
