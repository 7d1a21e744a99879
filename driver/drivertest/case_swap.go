package drivertest

import (
	"errors"
	"sync/atomic"

	"github.com/holdgate/holdgate/driver"
)

func swapCases() []testCase {
	return []testCase{
		{
			name: "swap/to-the-end",
			reason: "A process that has held long enough goes to the end of the line in one step, and the " +
				"next one is granted.",
			needs: queue,
			run:   swapToTheEnd,
		},
		{
			name:   "swap/alone",
			reason: "When nobody waits, the one who swaps holds again at once, with a new place.",
			run:    swapAlone,
		},
		{
			name: "swap/one-step",
			reason: "Whoever looks sees the old place or the new one. A moment with neither would let a try " +
				"in; one with both would make a mutex wait for itself.",
			needs: queue,
			run:   swapOneStep,
		},
		{
			name:   "swap/again",
			reason: "The answer may be lost: to swap again returns the place that stands.",
			run:    swapAgain,
		},
		{
			name: "swap/gone",
			reason: "When the old place is gone, the caller does not hold, and must hear it. A new place " +
				"would be one that nobody asked for.",
			run: swapGone,
		},
		{
			name:   "swap/of-a-waiter",
			reason: "A waiter that swaps goes to the end; those it stood before are not held up by it.",
			needs:  queue,
			run:    swapOfAWaiter,
		},
		{
			name:   "swap/bad-input",
			reason: "A swap stays in its line, and cannot be a try. Anything else changes nothing.",
			run:    swapBadInput,
		},
	}
}

func swapToTheEnd(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	first, second := b.queue(mutex("orders")), c.queue(mutex("orders"))
	claim := mutex("orders")
	claim.Data = []byte(`"again"`)
	again := a.swap(holder, claim)
	if again.Granted || again.ID != claim.ID || !sameData(again.Data, claim.Data) {
		e.Fatalf("Swap returned %+v, want the new place, waiting", again)
	}
	first.granted()
	second.pending()
	l := e.stands(e.dial(), "orders", first.place, second.place, again)
	e.same(l.Places[2], again, "Line after Swap")
	w := a.await(again)
	first.leave()
	second.granted()
	w.pending()
	second.leave()
	w.granted()
}

func swapAlone(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	again := a.swap(p, mutex("orders"))
	if !again.Granted {
		e.Error("alone in line, and not granted after Swap")
	}
	a.stands("orders", again)
	e.fails(a.ses.Leave(e.ctx(), "orders", p.ID), driver.ErrGone, "Leave of the place that was swapped")
	a.leave(again)
	a.stands("orders")
}

func swapOneStep(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	place := a.take(mutex("orders"))
	var done atomic.Bool
	w := e.watchSeeing(b.drv, driver.Query{Name: "orders"}, func(s driver.Snapshot) {
		for _, l := range s.Lines {
			if len(l.Places) != 1 && !done.Load() {
				e.Errorf("the watch saw %d places during a swap, want one", len(l.Places))
			}
		}
	})
	w.shows("orders", place)
	for range e.rounds(100) {
		answers := e.together(
			func() (err error) { place, err = a.ses.Swap(e.ctx(), place, mutex("orders")); return err },
			func() error { _, err := c.ses.Enter(e.ctx(), try(mutex("orders"))); return err },
			func() error { return e.oneStands(b.drv) },
		)
		e.must(answers[0], "Swap")
		e.fails(answers[1], driver.ErrBusy, "a try beside a swap")
		e.must(answers[2], "Line beside a swap")
	}
	w.shows("orders", place)
	done.Store(true)
}

var errNotOne = errors.New("drivertest: the line does not have exactly one place")

func (e *env) oneStands(d driver.Driver) error {
	l, err := d.Line(e.ctx(), "orders")
	if err == nil && len(l.Places) != 1 {
		return errNotOne
	}
	return err
}

func swapAgain(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	claim := mutex("orders")
	first := a.swap(p, claim)
	second := a.swap(p, claim)
	if second.ID != first.ID || second.Order != first.Order {
		e.Errorf("swapped again: got %s of order %d, want %s of order %d",
			second.ID, second.Order, first.ID, first.Order)
	}
	b.stands("orders", first)
}

func swapGone(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	claim := mutex("orders")
	a.leave(p)
	_, err := a.ses.Swap(e.ctx(), p, claim)
	e.fails(err, driver.ErrGone, "Swap of a place that was left")
	a.stands("orders")
	next := b.take(mutex("orders"))
	_, err = a.ses.Swap(e.ctx(), p, claim)
	e.fails(err, driver.ErrGone, "Swap of a place that was left, when somebody else holds")
	b.stands("orders", next)

	claim = mutex("orders")
	swapped := b.swap(next, claim)
	b.leave(swapped)
	_, err = b.ses.Swap(e.ctx(), next, claim)
	e.fails(err, driver.ErrGone, "Swap again, after the new place was left too")
	b.stands("orders")
}

func swapOfAWaiter(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	first, second := b.queue(mutex("orders")), c.queue(mutex("orders"))
	again := b.swap(first.place, mutex("orders"))
	first.fails(driver.ErrGone)
	a.stands("orders", holder, second.place, again)
	a.leave(holder)
	second.granted()
	b.await(again).pending()
}

func swapBadInput(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	for what, c := range map[string]driver.Claim{
		"a try":        try(mutex("orders")),
		"another line": mutex("invoices"),
		"a bad claim":  {Line: "orders", ID: "no-id", Kind: driver.KindMutex, Capacity: 1, Units: 1},
	} {
		_, err := a.ses.Swap(e.ctx(), p, c)
		e.fails(err, driver.ErrInvalid, "Swap for %s", what)
	}
	a.stands("orders", p)
	a.stands("invoices")
}
