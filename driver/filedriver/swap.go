package filedriver

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// Swap moves to the end of the line, as a new place. The file of the old place gets the
// name of the new one: that is one step.
func (s *Session) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := c.CheckSwap(p); err != nil {
		return driver.Place{}, err
	}
	k, err := s.calls.begin(ctx)
	if err != nil {
		return driver.Place{}, err
	}
	defer k.done()
	// In one order everywhere, so that two swaps do not wait for each other.
	for _, id := range []string{min(p.ID, c.ID), max(p.ID, c.ID)} {
		turn, err := s.take(k, id)
		if err != nil {
			return driver.Place{}, err
		}
		defer turn.give()
	}
	l := s.d.line(c.Line)
	if err := l.stripe.lock(k); err != nil {
		return driver.Place{}, translate(err)
	}
	defer l.stripe.unlock()
	out, err := s.swap(l, &p, &c)
	return out, translate(err)
}

// swap works under the stripe.
func (s *Session) swap(l *line, p *driver.Place, c *driver.Claim) (driver.Place, error) {
	v, err := s.look(l)
	if err != nil {
		return driver.Place{}, err
	}
	if i := v.find(c.ID); i >= 0 {
		return s.again(l, &v, i)
	}
	old := s.standingAt(l.name, p.ID)
	i := v.find(p.ID)
	if old == nil || i < 0 {
		return driver.Place{}, gone(l.name, p.ID)
	}
	leaving := leaver{&old.place, v.notes[i].waiting}
	v.without(p.ID)
	if err := l.judge(&v, c, p.ID); err != nil {
		return driver.Place{}, err
	}
	out, err := s.move(l, &v, old, c)
	if err != nil {
		return driver.Place{}, err
	}
	s.rouse(p.ID)
	l.departed(leaving)
	return out, nil
}

// without takes a place out of the view, if it is there.
func (v *view) without(id string) {
	if i := v.find(id); i >= 0 {
		v.places = slices.Delete(v.places, i, i+1)
		v.notes = slices.Delete(v.notes, i, i+1)
	}
}

// move renames the old place to the new one. What lies beside the new one is there
// before, so that nobody sees it without.
func (s *Session) move(l *line, v *view, old *standing, c *driver.Claim) (driver.Place, error) {
	p, err := s.newPlace(l, v, c)
	if err != nil {
		return driver.Place{}, err
	}
	p.Granted = v.admits(c)
	if len(p.Data) > 0 {
		if err := l.writeData(&p); err != nil {
			return driver.Place{}, err
		}
	}
	st := s.remember(l, p)
	if err := s.d.root.rename(l.path(old.file), l.path(st.file)); err != nil {
		s.forget(&p)
		_ = s.d.root.unlink(l.beside(&p, sideData))
		if errors.Is(err, fs.ErrNotExist) { // removed by force, meanwhile
			return driver.Place{}, gone(l.name, old.place.ID)
		}
		return driver.Place{}, err
	}
	s.forget(&old.place)
	s.tookGrant(p)
	return p, nil
}
