package filedriver

import (
	"context"
	"fmt"

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
	turn, err := s.take(k, c.ID)
	if err != nil {
		return driver.Place{}, err
	}
	defer turn.give()
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
	v, err := l.scan()
	if err != nil {
		return driver.Place{}, err
	}
	l.sweepStrays(&v)
	i := v.find(c.ID)
	if i < 0 {
		if err = l.judge(&v, c, ""); err == nil {
			return s.join(l, &v, c) // which fails when the session does not stand
		}
	}
	if lost := s.stands(); lost != nil {
		return driver.Place{}, lost
	}
	if err != nil {
		return driver.Place{}, err
	}
	return s.again(l, &v, i)
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
		return fmt.Errorf("%w: line %q is used as %s, not as %s",
			driver.ErrMismatch, l.name, use(p.Kind, p.Capacity), use(c.Kind, c.Capacity))
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

// use says what a line is used as. The capacity belongs to the kind, except of a semaphore.
func use(k driver.Kind, capacity int64) string {
	if k == driver.KindMutex || k == driver.KindElection || k == driver.KindRW || k == driver.KindPresence {
		return string(k)
	}
	return fmt.Sprintf("%s of %d", k, capacity)
}
