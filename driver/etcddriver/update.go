package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Update writes data and units of a place. It reads the line first, since units only go
// down from what they are, and writes on the condition that the place is unchanged.
func (s *session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID), driver.CheckData(p.Data)); err != nil {
		return driver.Place{}, err
	}
	for {
		l, err := s.lineup(ctx, p.Line)
		if err != nil {
			return driver.Place{}, fmt.Errorf("update in %q: %w", p.Line, err)
		}
		u, err := s.mayUpdate(l, p)
		if err != nil {
			return driver.Place{}, err
		}
		now, done, err := s.update(ctx, l, u, p)
		if err != nil {
			return driver.Place{}, fmt.Errorf("update in %q: %w", p.Line, err)
		}
		if done {
			return now, nil
		}
		// It was changed or removed just now: the next look tells which.
	}
}

// lineup reads a line, and that the session lives.
func (s *session) lineup(ctx context.Context, name string) (*lineup, error) {
	prefix := s.d.layout.line(name)
	answer, err := s.look(ctx, get(under(prefix)))
	if err != nil {
		return nil, err
	}
	return newLineup(name, prefix, keysIn(answer, 1)), nil
}

// mayUpdate returns the use of the place, or why it may not be written as asked.
func (s *session) mayUpdate(l *lineup, p driver.Place) (use, error) {
	i := l.own(p.ID, s.lease)
	if i < 0 {
		return use{}, gone(p.Line, p.ID)
	}
	switch now := l.places[i]; {
	case now.Version != p.Version:
		return use{}, fmt.Errorf("%w: place %s has version %d, not %d", driver.ErrConflict, p.ID, now.Version, p.Version)
	case p.Units < 0 || p.Units > now.Units:
		return use{}, fmt.Errorf("%w: units only go down: 0 to %d, not %d", driver.ErrInvalid, now.Units, p.Units)
	default:
		return use{now.Kind, now.Capacity}, nil
	}
}

// update writes the place if it stands as it was seen.
func (s *session) update(ctx context.Context, l *lineup, u use, p driver.Place) (driver.Place, bool, error) {
	key := l.prefix + p.ID
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(unchanged(key, int64(p.Version)), livesBy(key, s.lease)),
		Success: requests(put(key, placeValue(u, p.Units, s.whose, p.Data), s.lease), get(under(l.prefix))),
	})
	if err != nil || !answer.Succeeded {
		return driver.Place{}, false, err
	}
	now := newLineup(l.name, l.prefix, keysIn(answer, 1))
	i := now.own(p.ID, s.lease)
	if i < 0 {
		return driver.Place{}, false, fmt.Errorf("%w: the store answered without the place it had just written", driver.ErrUnknownOutcome)
	}
	return now.place(i), true, nil
}
