package memdriver

import "github.com/holdgate/holdgate/driver"

// indexFrom is how many places a line has before finding one by its ID is worth a
// map. Most lines have one place, and those need none.
const indexFrom = 16

// line is a line that has at least one place. Its places form a list, so that one
// leaves in constant time wherever it stands.
//
// Grants are kept, not worked out anew: the stability lemma says that they only
// ever become true. All places ahead of next are granted. Behind it only places of
// no units are, since the sum ahead of them is too much for anything else.
type line struct {
	name       string
	head, tail *place
	next       *place // the first place that is not granted, or nil
	ahead      int64  // the units of all places ahead of next
	total      int64  // the units of all places
	count      int
	foreign    int               // how many of them other software made
	index      map[string]*place // by ID; nil while the line is short

	// kind and capacity are those of every native place: a claim that differs is
	// never let in.
	kind     driver.Kind
	capacity int64
}

// find returns the place with this ID, or nil. A nil line has none.
func (l *line) find(id string) *place {
	switch {
	case l == nil:
		return nil
	case l.index != nil:
		return l.index[id]
	}
	for p := l.head; p != nil; p = p.behind {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// admits reports whether a place would be granted at the end of the line.
func (l *line) admits(p *driver.Place) bool {
	if l == nil || l.head == nil {
		return driver.Fits(nil, *p)
	}
	return l.fits(l.total, l.foreign > 0, p)
}

// fits asks the contract's rule. Of the places ahead only the sum of their units
// counts, and whether one is foreign; so one place stands for all of them, and the
// answer does not cost more in a longer line.
func (l *line) fits(units int64, foreign bool, p *driver.Place) bool {
	ahead := [1]driver.Place{{Kind: l.kind, Capacity: l.capacity, Units: units, Foreign: foreign}}
	return driver.Fits(ahead[:], *p)
}

// push puts a place at the end.
func (l *line) push(p *place) {
	p.line = l
	p.Granted = l.admits(&p.Place)
	switch {
	case p.Foreign:
		l.foreign++
	case l.count == l.foreign:
		l.kind, l.capacity = p.Kind, p.Capacity
	}
	if l.next == nil {
		if p.Granted {
			l.ahead += p.Units
		} else {
			l.next = p
		}
	}
	if p.before = l.tail; l.tail == nil {
		l.head = p
	} else {
		l.tail.behind = p
	}
	l.tail = p
	l.count++
	l.total += p.Units
	l.addToIndex(p)
}

func (l *line) addToIndex(p *place) {
	if l.index != nil {
		l.index[p.ID] = p
		return
	}
	if l.count < indexFrom {
		return
	}
	l.index = make(map[string]*place, 2*indexFrom)
	for q := l.head; q != nil; q = q.behind {
		l.index[q.ID] = q
	}
}

// unlink takes a place out. The caller calls settle when it is done.
func (l *line) unlink(p *place) {
	if p == l.next {
		l.next = p.behind.firstWaiting()
	} else if l.grantedAhead(p) {
		l.ahead -= p.Units
	}
	if p.before == nil {
		l.head = p.behind
	} else {
		p.before.behind = p.behind
	}
	if p.behind == nil {
		l.tail = p.before
	} else {
		p.behind.before = p.before
	}
	l.count--
	l.total -= p.Units
	if p.Foreign {
		l.foreign--
	}
	delete(l.index, p.ID)
	p.before, p.behind = nil, nil
}

// lower takes units from a place that stands. The caller calls settle when it is
// done.
func (l *line) lower(p *place, units int64) {
	if l.grantedAhead(p) {
		l.ahead -= p.Units - units
	}
	l.total -= p.Units - units
	p.Units = units
	if units == 0 && !p.Granted && p != l.next {
		p.grant()
	}
}

// grantedAhead reports whether a place stands ahead of next, so that ahead counts
// its units.
func (l *line) grantedAhead(p *place) bool {
	return l.next == nil || p.seq < l.next.seq
}

// settle grants what fits now, from the first place that did not, and wakes those
// who wait for it: nobody else.
func (l *line) settle() {
	for p := l.next; p != nil && l.fitsNext(); p = l.next {
		p.grant()
		l.ahead += p.Units
		l.next = p.behind.firstWaiting()
	}
}

func (l *line) fitsNext() bool {
	if l.next == l.head {
		return driver.Fits(nil, l.next.Place)
	}
	// A foreign place is granted at the head only, so none is between.
	return l.fits(l.ahead, l.head.Foreign, &l.next.Place)
}
