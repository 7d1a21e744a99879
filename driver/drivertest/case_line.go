package drivertest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func lineCases() []testCase {
	return []testCase{
		{
			name:   "line/empty",
			reason: "Asking who holds what nobody ever held is a normal question, and its answer is nobody.",
			run:    lineEmpty,
		},
		{
			name: "line/up-to-date",
			reason: "A client confirms by Line that its place is gone before it tells its user so. An answer " +
				"from the past would end a live hold, or keep a dead one.",
			run: lineUpToDate,
		},
		{
			name:   "line/consistent-under-change",
			reason: "A line is shown as it was at one moment, also while many enter and leave.",
			needs:  queue,
			run:    lineConsistent,
		},
	}
}

func lineEmpty(e *env) {
	a := e.actor()
	a.stands("nobody-was-here")
	a.stands("nobody-was-here")
	a.take(mutex("nobody-was-here"))
}

func lineUpToDate(e *env) {
	a, b := e.actor(), e.actor()
	for range e.rounds(100) {
		p := a.take(mutex("orders"))
		b.stands("orders", p)
		if e.Layout == driver.LayoutQueue {
			q := b.enter(mutex("orders"))
			a.stands("orders", p, q)
			p.Data = []byte(`"new"`)
			a.update(p)
			if got := e.find(b.line("orders"), p.ID); !sameData(got.Data, p.Data) {
				e.Fatalf("Line shows the data %q after an update to %q was answered", got.Data, p.Data)
			}
			b.leave(q)
			a.stands("orders", p)
		}
		a.leave(p)
		b.stands("orders")
	}
}

func lineConsistent(e *env) {
	actors := e.actors(3)
	repeat := func(do func() error) func() error {
		return func() error {
			for range e.rounds(100) {
				if err := do(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	// They stand for different times, so that each comes upon the others at any point, in
	// fake time too.
	e.both(
		repeat(func() error { return actors[0].cycle(time.Microsecond) }),
		repeat(func() error { return actors[1].cycle(2 * time.Microsecond) }),
		repeat(func() error {
			time.Sleep(time.Microsecond)
			l, err := actors[2].drv.Line(e.ctx(), "orders")
			if err == nil {
				e.sound(l)
			}
			return err
		}),
	)
	actors[0].stands("orders")
}

// cycle enters the line "orders", stands there for a while, and leaves, granted or not.
func (a *actor) cycle(stay time.Duration) error {
	p, err := a.ses.Enter(a.ctx(), mutex("orders"))
	if err != nil {
		return fmt.Errorf("enter: %w", err)
	}
	time.Sleep(stay)
	if err := a.ses.Leave(a.ctx(), p.Line, p.ID); err != nil {
		return fmt.Errorf("leave: %w", err)
	}
	return nil
}

func presentCases() []testCase {
	return []testCase{
		{
			name: "present/every-place",
			reason: "A client that lost answers asks what it has in the store. A place that is left out would " +
				"never be given back.",
			run: presentEveryPlace,
		},
		{
			name:   "present/only-own",
			reason: "What is not the session's own is not shown: the client would give it back as a stray.",
			run:    presentOnlyOwn,
		},
		{
			name:   "present/waiters-too",
			reason: "A place that waits is a place: when its answer was lost, it is found here.",
			needs:  queue,
			run:    presentWaiters,
		},
	}
}

// has checks that Present shows exactly these places, in any order.
func (a *actor) has(want ...driver.Place) {
	a.Helper()
	type key struct {
		line, id string
		order    uint64
	}
	expected := make(map[key]bool)
	for _, p := range want {
		expected[key{p.Line, p.ID, p.Order}] = true
	}
	var shown []driver.Place
	a.eventually(fmt.Sprintf("Present shows exactly the %d places of its session", len(want)), func() bool {
		shown = a.present()
		if len(shown) != len(want) {
			return false
		}
		for _, p := range shown {
			if !expected[key{p.Line, p.ID, p.Order}] {
				return false
			}
		}
		return true
	})
}

func presentEveryPlace(e *env) {
	a := e.actor()
	a.has()
	var places []driver.Place
	for i := range 20 {
		places = append(places, a.take(mutex("line/"+strconv.Itoa(i))))
	}
	a.has(places...)
	for range 10 {
		a.leave(places[0])
		places = places[1:]
	}
	a.has(places...)
	places[0] = a.swap(places[0], mutex(places[0].Line))
	a.has(places...)
}

func presentOnlyOwn(e *env) {
	a, b := e.actor(), e.actor()
	sibling := a.session()
	mine, other, third := a.take(mutex("orders")), b.take(mutex("invoices")), sibling.take(mutex("stock"))
	a.has(mine)
	b.has(other)
	sibling.has(third)
}

func presentWaiters(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	second := b.enter(mutex("orders"))
	a.has(holder)
	b.has(w.place, second)
	w.leave()
	b.has(second)
}
