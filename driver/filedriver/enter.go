package filedriver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/holdgate/holdgate/driver"
)

// Enter puts a place at the end of its line.
func (s *Session) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := c.Check(); err != nil {
		return driver.Place{}, err
	}
	k, err := s.calls.begin(ctx)
	if err != nil {
		return driver.Place{}, err
	}
	defer k.done()
	done, err := s.take(k, c.ID)
	if err != nil {
		return driver.Place{}, err
	}
	defer done()
	l := s.d.line(c.Line)
	if err := l.stripe.lock(k); err != nil {
		return driver.Place{}, translate(err)
	}
	defer l.stripe.unlock()
	p, err := s.enter(l, &c)
	return p, translate(err)
}

// enter judges a claim by the line as it is, and joins. The caller holds the stripe, so
// that nobody else joins meanwhile; who leaves meanwhile only makes room.
func (s *Session) enter(l *line, c *driver.Claim) (driver.Place, error) {
	v, err := s.look(l)
	if err != nil {
		return driver.Place{}, err
	}
	if i := v.find(c.ID); i >= 0 {
		return s.again(l, &v, i)
	}
	if err := l.judge(&v, c, ""); err != nil {
		return driver.Place{}, err
	}
	return s.join(l, &v, c)
}

// look reads a line for somebody who is about to change who stands in it, and holds
// its stripe.
func (s *Session) look(l *line) (view, error) {
	if err := s.stands(); err != nil {
		return view{}, err
	}
	v, err := l.scan()
	l.sweepStrays(&v)
	return v, err
}

// again answers a claim whose place stands already.
func (s *Session) again(l *line, v *view, i int) (driver.Place, error) {
	if v.places[i].Session != s.id {
		return driver.Place{}, fmt.Errorf("%w: place %s is of another session", driver.ErrInvalid, v.places[i].ID)
	}
	p, err := l.place(v, i)
	p.Granted = v.fits(i) // nobody evicts while we hold the stripe
	s.tookGrant(p)
	return p, err
}

// judge answers why a claim cannot join: it does not match the line, or it only tries.
// Before it says so, it makes sure that those in the way live. Leaving is the ID of a
// place that goes for the claim, and so does not count; the view is without it.
func (l *line) judge(v *view, c *driver.Claim, leaving string) error {
	if v.mismatch(c) < 0 && (!c.Try || v.admits(c)) {
		return nil
	}
	reaped, err := l.reap(v, v.sessions())
	if err != nil {
		return err
	}
	if reaped {
		if *v, err = l.scan(); err != nil {
			return err
		}
		v.without(leaving)
	}
	if i := v.mismatch(c); i >= 0 {
		p := &v.places[i]
		return fmt.Errorf("%w: line %q is used as %s of capacity %d, not %s of %d",
			driver.ErrMismatch, l.name, p.Kind, p.Capacity, c.Kind, c.Capacity)
	}
	if !c.Try || v.admits(c) {
		return nil
	}
	return l.busy(v)
}

// busy is the answer to a try that found the line taken.
func (l *line) busy(v *view) error {
	head, err := l.place(v, 0)
	if err != nil {
		return err
	}
	return &driver.BusyError{Head: head, Ahead: len(v.places)}
}

// mismatch returns the index of a native place that uses the line for something else
// than the claim does, or -1.
func (v *view) mismatch(c *driver.Claim) int {
	for i := range v.places {
		if p := &v.places[i]; !p.Foreign && !p.Matches(c.Kind, c.Capacity) {
			return i
		}
	}
	return -1
}

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
