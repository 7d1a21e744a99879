package drivertest

import (
	"errors"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

func mismatchCases() []testCase {
	return []testCase{
		{
			name: "mismatch/refused",
			reason: "Two programs use one name with different kinds or capacities. Either would count the " +
				"other wrongly, so the later one is told, and the earlier one is untouched (S47).",
			needs: all(queue, shared),
			run:   mismatchRefused,
		},
		{
			name: "mismatch/behind-waiters",
			reason: "A claim of another kind is refused wherever the line has places, not only while one of " +
				"them is granted alone.",
			needs: all(queue, shared),
			run:   mismatchBehindWaiters,
		},
		{
			name:   "mismatch/line-is-free-again",
			reason: "The kind is a property of those who stand in the line: empty, it can be used otherwise.",
			needs:  all(queue, shared),
			run:    mismatchFreeAgain,
		},
		{
			name: "mismatch/at-once",
			reason: "Two kinds that enter at the same moment: one of them has the line, the other one is " +
				"told and leaves nothing. Never do both stay.",
			needs: all(queue, shared),
			run:   mismatchAtOnce,
		},
		{
			name: "mismatch/swap",
			reason: "A swap that is refused has changed nothing: who swaps holds as before. Had it left, " +
				"its caller would believe in a place that is gone.",
			needs: all(queue, shared),
			run:   mismatchSwap,
		},
	}
}

func mismatchSwap(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(permits("gpu", 4, 2))
	other := b.take(permits("gpu", 4, 2))
	for _, c := range append(strangers("gpu"), mutex("gpu"), permits("gpu", 5, 2)) {
		if c.Kind == other.Kind && c.Capacity == other.Capacity {
			continue
		}
		_, err := a.ses.Swap(e.ctx(), holder, c)
		e.fails(err, driver.ErrMismatch, "Swap for %s", describe(c))
		e.same(b.stands("gpu", holder, other).Places[0], holder, "the holder after a swap that was refused")
	}
	again := a.swap(holder, permits("gpu", 4, 2))
	b.stands("gpu", other, again)
}

// strangers are claims that do not belong to the line of a mutex.
func strangers(line string) []driver.Claim {
	election := mutex(line)
	election.Kind = driver.KindElection
	return []driver.Claim{
		election, permits(line, 1, 1), permits(line, 4, 1), writer(line), reader(line), presence(line),
	}
}

func mismatchRefused(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	for _, c := range strangers("orders") {
		b.refused(c, driver.ErrMismatch)
		// A try has two reasons to be refused; either one is true.
		if _, err := b.ses.Enter(e.ctx(), try(c)); !errors.Is(err, driver.ErrBusy) {
			e.fails(err, driver.ErrMismatch, "try of %s", describe(c))
		}
		e.same(b.stands("orders", holder).Places[0], holder, "the holder after a mismatch")
	}
	a.take(permits("gpu", 4, 1))
	b.refused(permits("gpu", 5, 1), driver.ErrMismatch)
	b.refused(permits("gpu", 4+1<<20, 0), driver.ErrMismatch)
	b.take(permits("gpu", 4, 1))
}

func mismatchBehindWaiters(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	for _, claim := range strangers("orders") {
		c.refused(claim, driver.ErrMismatch)
	}
	w.pending()
	c.stands("orders", holder, w.place)
	a.leave(holder)
	w.granted()
	for _, claim := range strangers("orders") {
		c.refused(claim, driver.ErrMismatch)
	}
	c.stands("orders", w.place)
}

func mismatchFreeAgain(e *env) {
	a, b := e.actor(), e.actor()
	a.leave(a.take(mutex("orders")))
	p := b.take(permits("orders", 3, 2))
	a.refused(mutex("orders"), driver.ErrMismatch)
	b.leave(p)
	a.take(mutex("orders"))
}

func mismatchAtOnce(e *env) {
	actors := e.actors(4)
	claims := func(line string) []driver.Claim {
		return []driver.Claim{mutex(line), permits(line, 2, 1), mutex(line), permits(line, 2, 1)}
	}
	for round := range e.rounds(50) {
		name := "orders-" + strconv.Itoa(round)
		calls := make([]func() error, len(actors))
		for i, c := range claims(name) {
			calls[i] = func() error {
				_, err := actors[i].ses.Enter(e.ctx(), c)
				return err
			}
		}
		stayed := 0
		for _, err := range e.together(calls...) {
			if err == nil {
				stayed++
				continue
			}
			e.fails(err, driver.ErrMismatch, "Enter beside another kind")
		}
		l := actors[0].line(name)
		if stayed == 0 || len(l.Places) != stayed {
			e.Fatalf("%d were let in, and %d places stand", stayed, len(l.Places))
		}
		for _, p := range l.Places {
			if !p.Matches(l.Places[0].Kind, l.Places[0].Capacity) {
				e.Fatalf("two kinds stand in one line: %+v", l.Places)
			}
		}
	}
}
