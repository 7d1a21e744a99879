package filedriver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	turn, err := s.take(k, p.ID)
	if err != nil {
		return driver.Place{}, err
	}
	defer turn.give()
	st := s.standingAt(p.Line, p.ID)
	if st == nil {
		return driver.Place{}, gone(p.Line, p.ID)
	}
	out, err := s.update(k, st, &p)
	return out, translate(err)
}

func (s *Session) update(k *call, st *standing, p *driver.Place) (driver.Place, error) {
	l := st.line
	if err := s.stands(); err != nil {
		return driver.Place{}, err
	}
	if !exists(l.path(st.file)) {
		s.forget(&st.place)
		return driver.Place{}, gone(l.name, p.ID)
	}
	switch {
	case p.Version != st.place.Version:
		return driver.Place{}, fmt.Errorf("%w: place %s has version %d, not %d", driver.ErrConflict, p.ID, st.place.Version, p.Version)
	case p.Units < 0 || p.Units > st.place.Units:
		return driver.Place{}, fmt.Errorf("%w: units go down from %d, not to %d", driver.ErrInvalid, st.place.Units, p.Units)
	}
	if err := s.write(st, p); err != nil {
		return driver.Place{}, err
	}
	return s.updated(k, st)
}

// write writes what changes. What may fail for want of space comes first, so that an
// error means that nothing happened.
func (s *Session) write(st *standing, p *driver.Place) error {
	next := st.place
	next.Version++
	next.Units, next.Data = p.Units, p.Data
	staged, err := s.d.root.stage(dataFile(&next))
	if err != nil {
		return err
	}
	defer func() { _ = staged.Close() }()
	if next.Units < st.place.Units {
		err = s.name(st.line.beside(&next, sideUnits+strconv.FormatInt(next.Units, 10)))
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = s.d.root.rename(staged.Name(), st.line.beside(&next, sideData))
	}
	if err != nil {
		_ = s.d.root.unlink(staged.Name())
		return err
	}
	st.place.Version, st.place.Units = next.Version, next.Units
	return nil
}

// updated wakes those whom lower units let through, and returns the place, unless it
// was removed by force meanwhile: then what was written beside it goes too.
func (s *Session) updated(k *call, st *standing) (driver.Place, error) {
	l := st.line
	v, err := l.certain(k)
	if err != nil {
		return driver.Place{}, err
	}
	i := v.find(st.place.ID)
	if i < 0 {
		l.sweepBeside(&v, &st.place)
		s.forget(&st.place)
		return driver.Place{}, gone(l.name, st.place.ID)
	}
	if !l.wake(&v) {
		s.d.owe(l)
	}
	return l.place(&v, i)
}
