package drivertest

import (
	"math/rand/v2"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

func queueCases() []testCase {
	return []testCase{
		{
			name: "queue/first-come-first-served",
			reason: "Waiters are granted in the order in which they came, across processes. Otherwise the " +
				"unlucky one waits for ever (S41).",
			needs: all(queue, fair),
			run:   queueFIFO,
		},
		{
			name: "queue/middle-leaves",
			reason: "A waiter in the middle gives up: those behind it keep their order, and nobody waits for " +
				"a wake-up that went to the one who left (S30).",
			needs: queue,
			run:   queueMiddleLeaves,
		},
		{
			name: "queue/next-leaves-then-holder",
			reason: "The one behind the next has watched the next. When that one leaves without a grant, and " +
				"the holder only later, the third must still be woken.",
			needs: queue,
			run:   queueNextLeavesThenHolder,
		},
		{
			name: "queue/next-and-holder-leave-at-once",
			reason: "Holder and next leave at the same moment. Whichever the store sees first, the third is " +
				"the head afterwards, and must hear of it.",
			needs: queue,
			run:   queueTwoLeaveAtOnce,
		},
		{
			name: "queue/random-leaves",
			reason: "Lost wake-ups hide in rare orders of events. Many rounds with waiters that leave at " +
				"random, and each time everybody who stays is granted, in order.",
			needs: all(queue, fair),
			run:   queueRandomLeaves,
		},
		{
			name:   "queue/200-waiters",
			reason: "A line of 200 waiters is one bad deploy away: each gets its turn, in order.",
			needs:  all(queue, fair),
			run:    queue200Waiters,
		},
	}
}

// lineUp puts n waiters of some processes behind a holder.
func (e *env) lineUp(actors []*actor, n int) []*waiting {
	e.Helper()
	waiters := make([]*waiting, n)
	for i := range waiters {
		waiters[i] = actors[i%len(actors)].queue(mutex("orders"))
	}
	return waiters
}

// serve has one waiter after the other granted and leave, and checks that the one
// behind is not granted before.
func serve(waiters []*waiting) {
	for i, w := range waiters {
		w.a.Helper()
		w.granted()
		if i+1 < len(waiters) {
			waiters[i+1].pending()
		}
		w.leave()
	}
}

func queueFIFO(e *env) {
	actors := e.actors(5)
	holder := actors[0].take(mutex("orders"))
	waiters := e.lineUp(actors, 15)
	waiters[0].pending()
	actors[0].leave(holder)
	serve(waiters)
	actors[0].stands("orders")
}

func queueMiddleLeaves(e *env) {
	actors := e.actors(4)
	holder := actors[0].take(mutex("orders"))
	waiters := e.lineUp(actors[1:], 3)
	waiters[1].leave()
	waiters[1].fails(driver.ErrGone)
	waiters[0].pending()
	waiters[2].pending()
	actors[0].stands("orders", holder, waiters[0].place, waiters[2].place)
	actors[0].leave(holder)
	serve([]*waiting{waiters[0], waiters[2]})
}

func queueNextLeavesThenHolder(e *env) {
	actors := e.actors(3)
	for range e.rounds(50) {
		holder := actors[0].take(mutex("orders"))
		next := actors[1].queue(mutex("orders"))
		third := actors[2].queue(mutex("orders"))
		third.pending()
		next.leave()
		third.pending()
		actors[0].leave(holder)
		third.granted()
		third.leave()
	}
}

func queueTwoLeaveAtOnce(e *env) {
	actors := e.actors(4)
	for range e.rounds(100) {
		holder := actors[0].take(mutex("orders"))
		next := actors[1].queue(mutex("orders"))
		third := actors[2].queue(mutex("orders"))
		fourth := actors[3].queue(mutex("orders"))
		e.both(
			func() error { return actors[0].ses.Leave(e.ctx(), holder.Line, holder.ID) },
			func() error { return actors[1].ses.Leave(e.ctx(), next.place.Line, next.place.ID) },
		)
		third.granted()
		fourth.pending()
		third.leave()
		fourth.granted()
		fourth.leave()
	}
}

func queueRandomLeaves(e *env) {
	rng := newRand()
	actors := e.actors(4)
	for range e.rounds(100) {
		holder := actors[0].take(mutex("orders"))
		waiters := e.lineUp(actors, 3+rng.IntN(5))
		leaving, staying := divide(rng, waiters)
		early := rng.IntN(len(leaving) + 1)
		for _, w := range leaving[:early] {
			w.leave()
		}
		calls := []func() error{func() error { return actors[0].ses.Leave(e.ctx(), holder.Line, holder.ID) }}
		for _, w := range leaving[early:] {
			calls = append(calls, func() error { return w.a.ses.Leave(e.ctx(), w.place.Line, w.place.ID) })
		}
		rng.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		e.both(calls...)
		serve(staying)
		actors[0].stands("orders")
	}
}

// divide tells at random who leaves and who stays; both keep their order in line.
func divide(rng *rand.Rand, waiters []*waiting) (leaving, staying []*waiting) {
	leaving = slices.DeleteFunc(slices.Clone(waiters), func(*waiting) bool { return rng.IntN(2) == 0 })
	staying = slices.DeleteFunc(slices.Clone(waiters), func(w *waiting) bool {
		return slices.Contains(leaving, w)
	})
	return leaving, staying
}

func queue200Waiters(e *env) {
	actors := e.actors(10)
	holder := actors[0].take(mutex("orders"))
	waiters := e.lineUp(actors, 200)
	if got := len(actors[0].line("orders").Places); got != 201 {
		e.Fatalf("got %d places in line, want 201", got)
	}
	waiters[0].pending()
	actors[0].leave(holder)
	for i, w := range waiters {
		w.granted()
		if i+1 < len(waiters) && isClosed(waiters[i+1].returned) {
			e.Fatalf("waiter %d was granted beside waiter %d", i+1, i)
		}
		w.leave()
	}
}
