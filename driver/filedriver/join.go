package filedriver

import (
	"errors"
	"io/fs"

	"github.com/holdgate/holdgate/driver"
)

// join makes the place.
func (s *Session) join(l *line, v *view, c *driver.Claim) (driver.Place, error) {
	p, err := s.newPlace(l, v, c)
	if err != nil {
		return driver.Place{}, err
	}
	p.Granted = v.admits(c)
	st := s.remember(l, p)
	err = l.inDirectory(v.missing, func() error { return s.makePlace(l, &p, st.file) })
	if err != nil {
		s.forget(&p)
		_ = s.d.root.unlink(l.beside(&p, sideData))
		return driver.Place{}, err
	}
	s.tookGrant(p)
	return p, nil
}

// newPlace gives a claim the next order of its line.
func (s *Session) newPlace(l *line, v *view, c *driver.Claim) (driver.Place, error) {
	order, err := l.stripe.nextOrder(v.newest())
	return driver.Place{
		Line: l.name, ID: c.ID, Session: s.id, Owner: s.owner,
		Kind: c.Kind, Capacity: c.Capacity, Units: c.Units, Data: append([]byte(nil), c.Data...),
		Order: order, Version: firstVersion,
	}, err
}

// remember takes down a place before it is made, so that none is made that the session
// does not know of.
func (s *Session) remember(l *line, p driver.Place) *standing {
	st := &standing{line: l, file: fileName(&p), place: p}
	st.place.Data, st.place.Granted = nil, false
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places[keyOf(&p)] = st
	return st
}

// makePlace writes what lies beside the place, and then gives the session's file the
// name of the place: it stands.
func (s *Session) makePlace(l *line, p *driver.Place, file string) error {
	if len(p.Data) > 0 {
		if err := l.writeData(p); err != nil {
			return err
		}
	}
	return s.name(l.path(file))
}

// inDirectory does something in the line's directory, once it is there. While it is
// bare, others may remove it. The caller holds the stripe.
func (l *line) inDirectory(missing bool, do func() error) error {
	for {
		if err := l.ready(missing); err != nil {
			return err
		}
		err := do()
		if !errors.Is(err, fs.ErrNotExist) || exists(l.dir) {
			return err
		}
		missing = true
	}
}

// ready makes the directory, and has it tell the name of the line.
func (l *line) ready(missing bool) error {
	if missing {
		err := l.d.root.mkdir(l.dir, l.d.root.stageDir())
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if !l.hashed {
		return nil
	}
	err := l.d.root.putNew(l.path(nameFile), []byte(l.name))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
