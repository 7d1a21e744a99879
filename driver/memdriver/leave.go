package memdriver

import (
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// leave removes the place of this ID, and voids what is still under way to make it.
func (st *state) leave(r *record, line, id string) error {
	if r.lost {
		return r.lostError()
	}
	p := st.own(r, line, id)
	if p == nil {
		r.overtake(line, id)
		return gone(line, id)
	}
	st.remove(p)
	return nil
}

// remove takes a place out of its line, wakes its waiter and whoever fits now.
func (st *state) remove(p *place) {
	l := p.line
	l.unlink(p)
	if p.session != nil {
		p.session.forget(p)
		p.session.overtake(p.Line, p.ID)
	}
	p.signal()
	if l.settle(); l.head == nil {
		delete(st.lines, l.name)
	}
	st.lineWatches.touch(l.name)
}

// update writes data and units. The position, the order and the mark stay.
func (st *state) update(r *record, want *driver.Place) (driver.Place, error) {
	if r.lost {
		return driver.Place{}, r.lostError()
	}
	p := st.own(r, want.Line, want.ID)
	switch {
	case p == nil:
		return driver.Place{}, gone(want.Line, want.ID)
	case p.Version != want.Version:
		return driver.Place{}, fmt.Errorf("%w: place %s has version %d, not %d",
			driver.ErrConflict, want.ID, p.Version, want.Version)
	case want.Units < 0 || want.Units > p.Units:
		return driver.Place{}, fmt.Errorf("%w: units only go down: 0 to %d, not %d",
			driver.ErrInvalid, p.Units, want.Units)
	}
	p.Version++
	p.Data = want.Data
	p.line.lower(p, want.Units)
	p.line.settle()
	st.lineWatches.touch(p.Line)
	return p.view(), nil
}

// evict removes a place that waits, and marks one that is granted.
func (st *state) evict(line, id string, e driver.Eviction) error {
	p := st.lines[line].find(id)
	switch {
	case p == nil:
		return gone(line, id)
	case e.Force:
		st.remove(p)
	case p.Foreign:
		return fmt.Errorf("%w: place %q in line %q is of other software and goes only by force",
			driver.ErrUnsupported, id, line)
	case !p.Granted:
		st.remove(p)
	case p.Eviction == nil:
		e.Line, e.PlaceID = line, id
		p.Eviction = &e
		st.lineWatches.touch(line)
		p.session.nudge()
	}
	return nil
}

// look returns the place and, while it is not granted, what to wait for.
func (st *state) look(r *record, line, id string) (driver.Place, <-chan struct{}, error) {
	if r.lost {
		return driver.Place{}, nil, r.lostError()
	}
	p := st.own(r, line, id)
	switch {
	case p == nil:
		return driver.Place{}, nil, gone(line, id)
	case p.Granted:
		return p.view(), nil, nil
	}
	return p.view(), p.awaited(), nil
}

func gone(line, id string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, id, line)
}
