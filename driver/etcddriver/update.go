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
		i, err := s.mayUpdate(l, p)
		if err != nil {
			return driver.Place{}, err
		}
		now, done, err := s.update(ctx, l, i, p)
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
	answer, err := s.look(ctx, get(s.d.layout.places(name)))
	if err != nil {
		return nil, err
	}
	return newLineup(name, prefix, keysIn(answer, 1)), nil
}

// mayUpdate finds the place, or says why it may not be written as asked.
func (s *session) mayUpdate(l *lineup, p driver.Place) (int, error) {
	i := l.own(p.ID, s.lease)
	if i < 0 {
		return -1, gone(p.Line, p.ID)
	}
	switch now := l.places[i]; {
	case now.Version != p.Version:
		return -1, fmt.Errorf("%w: place %s has version %d, not %d", driver.ErrConflict, p.ID, now.Version, p.Version)
	case p.Units < 0 || p.Units > now.Units:
		return -1, fmt.Errorf("%w: units only go down: 0 to %d, not %d", driver.ErrInvalid, now.Units, p.Units)
	}
	return i, nil
}

// update writes the place if it stands as it was seen.
func (s *session) update(ctx context.Context, l *lineup, i int, p driver.Place) (driver.Place, bool, error) {
	key, was := string(l.kvs[i].Key), l.places[i]
	value := placeValue(use{was.Kind, was.Capacity}, p.Units, p.ID, s.whose, p.Data)
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(unchanged(key, int64(was.Version)), livesBy(key, s.lease)),
		Success: requests(put(key, value, s.lease), get(under(l.prefix))),
	})
	if err != nil || !answer.Succeeded {
		return driver.Place{}, false, err
	}
	now := newLineup(l.name, l.prefix, keysIn(answer, 1))
	if i = now.own(p.ID, s.lease); i < 0 {
		return driver.Place{}, false, errNotThere
	}
	return now.place(i), true, nil
}
