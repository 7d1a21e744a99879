package memdriver

import (
	"cmp"
	"context"

	"github.com/holdgate/holdgate/driver"
)

// Wait returns when the place is granted. It is a call whose step waits: the wake-up
// is its answer, and can be late, lost or held up.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	defer s.d.standStill()
	c := s.call(OpWait, p.Line, p.ID)
	f := s.d.inject(c)
	if err := s.d.send(ctx, c, f); err != nil {
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
