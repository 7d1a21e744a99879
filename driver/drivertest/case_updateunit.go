package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func updateUnitCases() []testCase {
	return []testCase{
		{
			name: "update/units-never-go-up",
			reason: "Everything rests on this: the sum ahead only shrinks, so a grant stays true. A place " +
				"that could grow would take what others were already granted.",
			needs: all(queue, shared),
			run:   unitsNeverUp,
		},
		{
			name: "update/downgrade-wakes-readers",
			reason: "A writer becomes a reader: the readers behind it share from now on, the next writer " +
				"still waits, and the token stays (S52).",
			needs: all(queue, shared),
			run:   downgradeWakesReaders,
		},
		{
			name:   "update/wakes-exactly-who-fits",
			reason: "Permits given back in part wake those who fit now, one after the other.",
			needs:  all(queue, shared),
			run:    shrinkWakesWhoFits,
		},
		{
			name:   "update/a-waiter-that-asks-for-less",
			reason: "A waiter that lowers its own request may fit now, and so may those behind it.",
			needs:  all(queue, shared),
			run:    waiterAsksForLess,
		},
		{
			name:   "update/to-zero",
			reason: "A place without units is granted wherever it stands, and frees all that it took.",
			needs:  all(queue, shared),
			run:    shrinkToZero,
		},
	}
}

func withUnits(p driver.Place, units int64) driver.Place {
	p.Units = units
	return p
}

func unitsNeverUp(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(permits("gpu", 4, 2))
	w := b.queue(permits("gpu", 4, 3))
	for _, units := range []int64{3, 4, 5, -1} {
		_, err := a.ses.Update(e.ctx(), withUnits(p, units))
		e.fails(err, driver.ErrInvalid, "Update from 2 to %d units", units)
	}
	e.same(a.stands("gpu", p, w.place).Places[0], p, "the place after refused updates")
	less := a.update(withUnits(p, 1))
	w.granted()
	_, err := a.ses.Update(e.ctx(), withUnits(less, 2))
	e.fails(err, driver.ErrInvalid, "Update back to the units it once had")
	e.same(a.stands("gpu", less, w.place).Places[0], less, "the place after refused updates")
}

func downgradeWakesReaders(e *env) {
	actors := e.actors(4)
	write := actors[0].take(writer("catalog"))
	first := actors[1].queue(reader("catalog"))
	second := actors[2].queue(reader("catalog"))
	next := actors[3].queue(writer("catalog"))
	second.pending()
	read := actors[0].update(withUnits(write, 1))
	if read.Order != write.Order || !read.Granted {
		e.Errorf("after the downgrade: granted %v with the order %d, want granted with the order %d",
			read.Granted, read.Order, write.Order)
	}
	first.granted()
	second.granted()
	next.pending()
	first.leave()
	actors[0].leave(read)
	next.pending()
	second.leave()
	next.granted()
}

func shrinkWakesWhoFits(e *env) {
	actors := e.actors(4)
	p := actors[0].take(permits("gpu", 5, 5))
	one := actors[1].queue(permits("gpu", 5, 1))
	two := actors[2].queue(permits("gpu", 5, 2))
	another := actors[3].queue(permits("gpu", 5, 1))
	p = actors[0].update(withUnits(p, 4))
	one.granted()
	two.pending()
	p = actors[0].update(withUnits(p, 3))
	two.pending()
	another.pending()
	actors[0].update(withUnits(p, 1))
	two.granted()
	another.granted()
}

func waiterAsksForLess(e *env) {
	actors := e.actors(4)
	actors[0].take(permits("gpu", 4, 2))
	big := actors[1].queue(permits("gpu", 4, 4))
	behind := actors[2].queue(permits("gpu", 4, 1))
	last := actors[3].queue(permits("gpu", 4, 1))
	behind.pending()
	less := actors[1].update(withUnits(big.place, 3))
	if less.Granted {
		e.Error("a waiter was granted that still does not fit")
	}
	big.pending()
	if less = actors[1].update(withUnits(less, 1)); !less.Granted {
		e.Error("Update returned a place as waiting that fits now")
	}
	big.granted()
	behind.granted()
	last.pending()
}

func shrinkToZero(e *env) {
	actors := e.actors(3)
	p := actors[0].take(permits("gpu", 2, 2))
	w := actors[1].queue(permits("gpu", 2, 2))
	last := actors[2].queue(permits("gpu", 2, 1))
	if nothing := actors[2].update(withUnits(last.place, 0)); !nothing.Granted {
		e.Error("a place of no units is not granted")
	}
	last.granted()
	w.pending()
	actors[0].update(withUnits(p, 0))
	w.granted()
	if got := len(actors[0].line("gpu").Places); got != 3 {
		e.Errorf("got %d places in line, want 3: a place of no units stands until it leaves", got)
	}
}
