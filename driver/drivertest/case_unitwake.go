package drivertest

import (
	"math/rand/v2"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

func unitWakeCases() []testCase {
	return []testCase{
		{
			name: "units/wakes-exactly-who-fits",
			reason: "A leave that frees too little wakes nobody, one that frees enough wakes all that fit, " +
				"in order, and no more.",
			needs: all(queue, shared),
			run:   unitsWakesWhoFits,
		},
		{
			name: "units/a-waiter-that-leaves-frees-those-behind",
			reason: "A big request that gives up while nobody else leaves was all that stood in the way of " +
				"the small ones behind it.",
			needs: all(queue, shared),
			run:   unitsWaiterLeaves,
		},
		{
			name: "units/two-holders-leave-at-once",
			reason: "Two leaves are two events, and the first may change nothing for a waiter. It must still " +
				"hear the second.",
			needs: all(queue, shared),
			run:   unitsTwoLeaveAtOnce,
		},
		{
			name: "units/random-walk",
			reason: "After every single change of a line the ones granted must be exactly those that the " +
				"rule of the line says, neither fewer (stuck) nor more (too many holders).",
			needs: all(queue, shared),
			run:   unitsRandomWalk,
		},
	}
}

func unitsWakesWhoFits(e *env) {
	actors := e.actors(4)
	var holders []driver.Place
	for range 3 {
		holders = append(holders, actors[0].take(permits("gpu", 3, 1)))
	}
	two := actors[1].queue(permits("gpu", 3, 2))
	one := actors[2].queue(permits("gpu", 3, 1))
	another := actors[3].queue(permits("gpu", 3, 1))
	actors[0].leave(holders[0])
	two.pending()
	one.pending()
	actors[0].leave(holders[2])
	two.granted()
	one.pending()
	two.leave()
	one.granted()
	another.granted()
}

func unitsWaiterLeaves(e *env) {
	actors := e.actors(4)
	actors[0].take(permits("gpu", 4, 2))
	big := actors[1].queue(permits("gpu", 4, 4))
	small := actors[2].queue(permits("gpu", 4, 1))
	smaller := actors[3].queue(permits("gpu", 4, 1))
	small.pending()
	smaller.pending()
	big.leave()
	small.granted()
	smaller.granted()
}

func unitsTwoLeaveAtOnce(e *env) {
	actors := e.actors(4)
	for range e.rounds(100) {
		first := actors[0].take(permits("gpu", 3, 2))
		second := actors[1].take(permits("gpu", 3, 1))
		all := actors[2].queue(permits("gpu", 3, 3))
		one := actors[3].queue(permits("gpu", 3, 1))
		e.both(
			func() error { return actors[0].ses.Leave(e.ctx(), first.Line, first.ID) },
			func() error { return actors[1].ses.Leave(e.ctx(), second.Line, second.ID) },
		)
		all.granted()
		one.pending()
		all.leave()
		one.granted()
		one.leave()
	}
}

// walk is a random walk over the states of one line.
type walk struct {
	*env
	rng    *rand.Rand
	actors []*actor
	// places stand in the line, in order; each has its wait.
	places []*waiting
}

const walkCapacity = 6

func unitsRandomWalk(e *env) {
	w := &walk{env: e, rng: newRand(), actors: e.actors(4)}
	for range e.rounds(400) {
		switch n := w.rng.IntN(10); {
		case n < 5 && len(w.places) < 12 || len(w.places) == 0:
			w.join()
		case n < 8:
			w.drop()
		default:
			w.shrink()
		}
		w.judge()
	}
}

func (w *walk) join() {
	a := w.actors[w.rng.IntN(len(w.actors))]
	w.places = append(w.places, a.queue(permits("gpu", walkCapacity, w.rng.Int64N(walkCapacity+1))))
}

func (w *walk) drop() {
	i := w.rng.IntN(len(w.places))
	w.places[i].leave()
	w.places = slices.Delete(w.places, i, i+1)
}

func (w *walk) shrink() {
	p := w.places[w.rng.IntN(len(w.places))]
	now := w.find(p.a.line("gpu"), p.place.ID)
	now.Units = w.rng.Int64N(now.Units + 1)
	p.a.update(now)
}

// judge compares the waits with the line as the store shows it. That the line's own
// grants are right is checked by env.sound.
func (w *walk) judge() {
	w.Helper()
	want := make([]driver.Place, len(w.places))
	for i, p := range w.places {
		want[i] = p.place
	}
	l := w.actors[0].stands("gpu", want...)
	w.settle()
	for i, p := range l.Places {
		switch wait := w.places[i]; {
		case p.Granted:
			wait.granted()
		case isClosed(wait.returned):
			w.Fatalf("place %d of %d was granted, though it does not fit: %+v", i, len(l.Places), l.Places)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
