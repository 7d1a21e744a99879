package filedriver

import (
	"github.com/holdgate/holdgate/driver"
)

// leaver is a place that was removed, or lowered its units.
type leaver struct {
	*driver.Place
	// waiting says that it was told that somebody sleeps until it is granted.
	waiting bool
}

// departed is what follows the removal of places from a line: what lay beside them is
// removed, who may be granted now is woken, and the directory is left to be removed
// when it is bare.
//
// No wake-up is lost: a sleeper first tells that it sleeps, then reads the line, and
// sleeps if it does not fit. Whoever removed a place reads the line afterwards. Of two
// who remove at once, the one whose removal came last sees both gone.
func (l *line) departed(left ...leaver) {
	v, err := l.scan()
	if err != nil {
		l.d.owe(l)
		return
	}
	for _, p := range left {
		l.sweepBeside(&v, p.Place)
	}
	if !l.wake(&v, left...) {
		l.d.owe(l)
	}
	if len(v.places) == 0 {
		l.d.idle.add(l)
	}
}

// wake pokes the sleepers that fit. It also pokes one that does not, when it has to
// watch other sessions from now on (view.watched): the first of those, if it watched
// one that is granted now and has others ahead too; and the one behind a place that
// went while it waited. It reports false when somebody could not be poked.
func (l *line) wake(v *view, changed ...leaver) bool {
	poked, all := map[int]bool{}, true
	poke := func(i int) {
		if i < len(v.places) && v.notes[i].waiting && !poked[i] {
			poked[i] = true
			all = l.d.poke(v.places[i].Session, v.places[i].ID) && all
		}
	}
	for i := range v.places {
		if !v.notes[i].waiting {
			continue
		}
		if !v.fits(i) {
			if len(poked) > 0 && i > 1 {
				poke(i)
			}
			break
		}
		poke(i)
	}
	for _, p := range changed {
		if at := v.behind(p.Order); p.waiting || at < len(v.places) && !driver.Fits(v.places[:at], *p.Place) {
			poke(at)
		}
	}
	return all
}
