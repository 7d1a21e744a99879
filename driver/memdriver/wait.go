package memdriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// Wait returns when the place is granted.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	out, err := s.wait(ctx, s.call(OpWait, p.Line, p.ID))
	s.d.standStill()
	return out, err
}

// wait is a call whose step waits: first as far as the store, then for the grant,
// then back. The wake-up is an answer: it can be late, lost or held up.
func (s *session) wait(ctx context.Context, c Call) (driver.Place, error) {
	f := s.d.inject(c)
	if err := s.d.send(ctx, c, f); err != nil {
		return driver.Place{}, err
	}
	if err := s.d.sleep(ctx, c.Op, f.Delay); err != nil {
		return driver.Place{}, err
	}
	p, err := s.awaitGrant(ctx, c, f)
	f.applied()
	if err := s.d.receive(ctx, c, f); err != nil {
		return driver.Place{}, err
	}
	return p, err
}

func (s *session) awaitGrant(ctx context.Context, c Call, f Fault) (driver.Place, error) {
	for {
		p, wake, err := s.d.store.look(s.r, c.Line, c.PlaceID)
		if err != nil || p.Granted || f.WakeEarly {
			return p, err
		}
		if err := s.d.listen(ctx, c.Op, wake); err != nil {
			return driver.Place{}, err
		}
	}
}

func (s *Store) look(r *record, line, id string) (driver.Place, <-chan struct{}, error) {
	defer s.end()
	return s.begin().look(r, line, id)
}

// listen waits for an event that the store pushes. A link that refuses ends it.
func (d *Driver) listen(ctx context.Context, op Op, event <-chan struct{}) error {
	for {
		state, changed := d.link.watch()
		switch state {
		case linkClosed:
			return driver.ErrClosed
		case LinkRefuses:
			return fmt.Errorf("%w: %s: %w", driver.ErrUnavailable, op, errRefused)
		}
		select {
		case <-event:
			return nil
		case <-changed:
		case <-ctx.Done():
			return ended(ctx, op)
		}
	}
}
