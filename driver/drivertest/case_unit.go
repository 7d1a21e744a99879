package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func unitCases() []testCase {
	return []testCase{
		{
			name:   "units/permits",
			reason: "A semaphore of k has k holders, and the next one waits until one of them leaves.",
			needs:  all(queue, shared),
			run:    unitsPermits,
		},
		{
			name: "units/big-request-is-not-starved",
			reason: "Three of four permits are taken. One asks for two and waits; who asks for one behind it " +
				"would fit, but letting small ones pass starves the big one (S54).",
			needs: all(queue, shared),
			run:   unitsBigNotStarved,
		},
		{
			name: "units/readers-share-writers-exclude",
			reason: "Readers in a row share. A writer waits for those ahead, and holds up those behind: " +
				"neither side starves (S50, S51).",
			needs: all(queue, shared),
			run:   unitsReadersAndWriters,
		},
		{
			name:   "units/zero",
			reason: "A presence takes no units: it is granted at once wherever it stands, and is in nobody's way.",
			needs:  all(queue, shared),
			run:    unitsZero,
		},
		{
			name:   "units/largest",
			reason: "The whole of the largest capacity is what a writer takes: it must not overflow.",
			needs:  all(queue, shared),
			run:    unitsLargest,
		},
		{
			name: "units/refused",
			reason: "A store that knows only one holder must say so. To grant a reader alone, or a presence " +
				"as if it were a mutex, would break the program silently.",
			needs: not(shared),
			run:   unitsRefused,
		},
	}
}

func unitsPermits(e *env) {
	actors := e.actors(3)
	first := actors[0].take(permits("gpu", 3, 1))
	second := actors[1].take(permits("gpu", 3, 1))
	actors[2].take(permits("gpu", 3, 1))
	fourth := actors[0].queue(permits("gpu", 3, 1))
	fifth := actors[1].queue(permits("gpu", 3, 1))
	fourth.pending()
	actors[1].leave(second)
	fourth.granted()
	fifth.pending()
	actors[0].leave(first)
	fifth.granted()
}

func unitsBigNotStarved(e *env) {
	actors := e.actors(3)
	holder := actors[0].take(permits("gpu", 4, 3))
	big := actors[1].queue(permits("gpu", 4, 2))
	small := actors[2].queue(permits("gpu", 4, 1))
	small.pending()
	big.pending()
	actors[0].leave(holder)
	big.granted()
	small.granted()
}

func unitsReadersAndWriters(e *env) {
	actors := e.actors(6)
	first := actors[0].take(reader("catalog"))
	second := actors[1].take(reader("catalog"))
	write := actors[2].queue(writer("catalog"))
	third := actors[3].queue(reader("catalog"))
	fourth := actors[4].queue(reader("catalog"))
	last := actors[5].queue(writer("catalog"))

	actors[0].leave(first)
	write.pending()
	third.pending()
	actors[1].leave(second)
	write.granted()
	third.pending()
	fourth.pending()
	write.leave()
	third.granted()
	fourth.granted()
	last.pending()
	third.leave()
	last.pending()
	fourth.leave()
	last.granted()
}

func unitsZero(e *env) {
	a, b := e.actor(), e.actor()
	visitor := func() driver.Claim { return permits("gpu", 2, 0) }
	first := a.take(visitor())
	holder := a.take(permits("gpu", 2, 2))
	second := b.take(visitor())
	w := b.queue(permits("gpu", 2, 1))
	third := b.take(try(visitor()))
	w.pending()
	b.await(third).granted()
	a.stands("gpu", first, holder, second, w.place, third)
	a.leave(holder)
	w.granted()
	for range 3 {
		a.take(presence("members"))
		b.take(presence("members"))
	}
	if got := len(a.line("members").Places); got != 6 {
		e.Errorf("got %d members, want 6", got)
	}
}

func unitsLargest(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	w := a.take(writer("catalog"))
	second := b.queue(writer("catalog"))
	third := c.queue(writer("catalog"))
	third.pending()
	a.leave(w)
	second.granted()
	third.pending()
	second.leave()
	third.granted()
}

func unitsRefused(e *env) {
	a := e.actor()
	for _, c := range []driver.Claim{
		permits("gpu", 2, 1), permits("gpu", 2, 2), reader("gpu"), writer("gpu"), presence("gpu"),
	} {
		a.refused(c, driver.ErrUnsupported)
		a.refused(try(c), driver.ErrUnsupported)
	}
	a.stands("gpu")
	a.take(mutex("gpu"))
}
