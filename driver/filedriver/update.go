package filedriver

import (
	"context"
	"fmt"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

// Update writes new data, and lowers units. It takes no lock: only this session writes
// them, one call after the other.
func (s *Session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := checkPlace(p.Line, p.ID); err != nil {
		return driver.Place{}, err
	}
	if err := driver.CheckData(p.Data); err != nil {
		return driver.Place{}, err
	}
	k, err := s.calls.begin(ctx)
	if err != nil {
		return driver.Place{}, err
	}
	defer k.done()
	done, err := s.take(k, p.ID)
	if err != nil {
		return driver.Place{}, err
	}
	defer done()
	st := s.standingAt(p.Line, p.ID)
	if st == nil {
		return driver.Place{}, gone(p.Line, p.ID)
	}
	out, err := s.update(st, &p)
	return out, translate(err)
}

func (s *Session) update(st *standing, p *driver.Place) (driver.Place, error) {
	l := st.line
	if err := s.stands(); err != nil {
		return driver.Place{}, err
	}
	if !exists(l.path(st.file)) {
		s.forget(p.ID)
		return driver.Place{}, gone(l.name, p.ID)
	}
	switch {
	case p.Version != st.place.Version:
		return driver.Place{}, fmt.Errorf("%w: place %s has version %d, not %d", driver.ErrConflict, p.ID, st.place.Version, p.Version)
	case p.Units < 0 || p.Units > st.place.Units:
		return driver.Place{}, fmt.Errorf("%w: units go down from %d, not to %d", driver.ErrInvalid, st.place.Units, p.Units)
	}
	lowered := p.Units < st.place.Units
	next := st.place
	next.Version++
	next.Units = p.Units
	next.Data = p.Data
	if err := l.writeData(&next); err != nil {
		return driver.Place{}, err
	}
	st.place.Version = next.Version
	if lowered {
		if err := s.name(l.beside(&next, sideUnits+strconv.FormatInt(p.Units, 10))); err != nil {
			return driver.Place{}, err
		}
		st.place.Units = next.Units
	}
	return s.updated(st, lowered)
}

// updated wakes those whom lower units let through, and returns the place, unless it
// was removed by force meanwhile: then what was written beside it goes too.
func (s *Session) updated(st *standing, lowered bool) (driver.Place, error) {
	l := st.line
	v, err := l.scan()
	if err != nil {
		return driver.Place{}, err
	}
	i := v.find(st.place.ID)
	if i < 0 {
		l.sweepBeside(&v, &st.place)
		s.forget(st.place.ID)
		return driver.Place{}, gone(l.name, st.place.ID)
	}
	if lowered {
		l.wake(&v)
	}
	return l.place(&v, i)
}
