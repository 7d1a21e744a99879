package drivertest

import (
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func leaveCases() []testCase {
	return []testCase{
		{
			name:   "leave/frees",
			reason: "A place that was left is gone for every handle when the call returns.",
			run:    leaveFrees,
		},
		{
			name: "leave/again",
			reason: "A release whose answer was lost is repeated. It must say that nothing was there, and " +
				"never touch whoever came after (S19, S22).",
			run: leaveAgain,
		},
		{
			name: "leave/only-own-places",
			reason: "A process can only give back what is its own. An ID that it saw in the line is not a " +
				"right to remove it.",
			run: leaveOnlyOwn,
		},
		{
			name:   "leave/in-the-wrong-line",
			reason: "A place is removed by its line and its ID: the same ID elsewhere is not meant.",
			run:    leaveWrongLine,
		},
		{
			name:   "leave/at-once",
			reason: "Several goroutines may give one place back: it is gone, and only its own.",
			run:    leaveAtOnce,
		},
		{
			name: "leave/stays-gone",
			reason: "After Leave was answered, the ID does not come back by anything that was sent before " +
				"it on the same session.",
			run: leaveStaysGone,
		},
	}
}

func leaveFrees(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.leave(p)
	b.stands("orders")
	q := b.take(mutex("orders"))
	b.leave(q)
	a.stands("orders")
}

func leaveAgain(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.leave(p)
	e.fails(a.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrGone, "Leave, the second time")
	next := b.take(mutex("orders"))
	e.fails(a.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrGone, "Leave, when somebody else holds")
	e.fails(a.ses.Leave(e.ctx(), p.Line, newID()), driver.ErrGone, "Leave of an ID that never entered")
	e.fails(a.ses.Leave(e.ctx(), "nobody-was-here", p.ID), driver.ErrGone, "Leave of a line nobody stood in")
	b.stands("orders", next)
}

func leaveOnlyOwn(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	sibling := a.session()
	e.fails(b.ses.Leave(e.ctx(), holder.Line, holder.ID), driver.ErrGone, "Leave of another process's place")
	e.fails(sibling.ses.Leave(e.ctx(), holder.Line, holder.ID), driver.ErrGone, "Leave of another session's place")
	if e.Layout == driver.LayoutQueue {
		w := a.queue(mutex("orders"))
		e.fails(b.ses.Leave(e.ctx(), "orders", w.place.ID), driver.ErrGone, "Leave of another process's waiter")
		a.stands("orders", holder, w.place)
		return
	}
	a.stands("orders", holder)
}

func leaveWrongLine(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	q := a.take(mutex("invoices"))
	e.fails(a.ses.Leave(e.ctx(), "invoices", p.ID), driver.ErrGone, "Leave of an ID in another line")
	a.stands("orders", p)
	a.stands("invoices", q)
}

func leaveAtOnce(e *env) {
	a := e.actor()
	for range e.rounds(50) {
		p := a.take(mutex("orders"))
		calls := make([]func() error, 4)
		for i := range calls {
			calls[i] = func() error { return a.ses.Leave(e.ctx(), p.Line, p.ID) }
		}
		succeeded := 0
		for _, err := range e.together(calls...) {
			if err == nil {
				succeeded++
				continue
			}
			e.fails(err, driver.ErrGone, "Leave beside others of the same place")
		}
		if succeeded == 0 {
			e.Fatal("every Leave says that there was no such place")
		}
		a.stands("orders")
	}
}

func leaveStaysGone(e *env) {
	a := e.actor()
	for range e.rounds(100) {
		c := mutex("orders")
		answers := e.together(
			func() error { _, err := a.ses.Enter(e.ctx(), c); return err },
			func() error { return a.ses.Leave(e.ctx(), c.Line, c.ID) },
		)
		if answers[1] != nil && !errors.Is(answers[1], driver.ErrGone) {
			e.Fatalf("Leave beside Enter: %v", answers[1])
		}
		// Whichever came first: one more Leave, and no trace is left.
		if err := a.ses.Leave(e.ctx(), c.Line, c.ID); err != nil {
			e.fails(err, driver.ErrGone, "Leave after Enter was answered")
		}
		a.stands("orders")
	}
	// Nothing is under way any more, so nothing may come.
	time.Sleep(e.ttl / 10)
	a.stands("orders")
}
