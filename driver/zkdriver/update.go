package zkdriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Update writes data and units of a place that stands. Units are told by the names in a
// line, so fewer of them are a node of their own, which goes with the place's.
func (s *session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID), driver.CheckData(p.Data)); err != nil {
		return driver.Place{}, err
	}
	p.Data = bytes.Clone(p.Data)
	after, err := do(ctx, s, true, func(ctx context.Context) (driver.Place, error) {
		defer s.own.take(p.ID)()
		return s.update(ctx, p)
	})
	if err != nil {
		return driver.Place{}, fmt.Errorf("update in %q: %w", p.Line, err)
	}
	return after, nil
}

func (s *session) update(ctx context.Context, p driver.Place) (driver.Place, error) {
	o, err := s.known(p.Line, p.ID)
	if err != nil {
		return driver.Place{}, err
	}
	for {
		at, err := s.c.look(o.node)
		switch {
		case oneOf(err, zk.ErrNoNode):
			s.own.forget(p.Line, p.ID)
			return driver.Place{}, gone(p.Line, p.ID)
		case err != nil:
			return driver.Place{}, err
		case at.Version != p.Version:
			return driver.Place{}, fmt.Errorf("%w: place %s has version %d, not %d", driver.ErrConflict, p.ID, at.Version, p.Version)
		case p.Units < 0 || p.Units > o.place.Units:
			return driver.Place{}, fmt.Errorf("%w: units only go down: 0 to %d, not %d", driver.ErrInvalid, o.place.Units, p.Units)
		case ctx.Err() != nil:
			return driver.Place{}, context.Cause(ctx)
		}
		err = s.write(*o, at, p)
		switch {
		case oneOf(err, zk.ErrBadVersion, zk.ErrNoNode):
			continue // marked meanwhile, or removed
		case err != nil:
			return driver.Place{}, err
		}
		return s.updated(p.Line, p.ID, at)
	}
}

// write makes one attempt, if the node is still as it was seen.
func (s *session) write(o ownPlace, at seen, p driver.Place) error {
	line := s.d.layout.line(o.line)
	after := at.record
	after.Version++
	after.Data = p.Data
	ops := []any{set(o.node, encode(after), at.stat.Version), set(line, nil, anyVersion)}
	if p.Units < o.place.Units {
		ops = append(ops, s.c.create(line+"/"+unitsNode(o.id, p.Units), nil, zk.FlagEphemeral))
		if o.lowered {
			ops = append(ops, remove(line+"/"+unitsNode(o.id, o.place.Units)))
		}
		o.lowered = true
	}
	if _, err := s.c.zk.Multi(ops...); err != nil {
		return s.unsure(o, wrote(err))
	}
	o.place.Units, o.place.Data, o.place.Version = p.Units, p.Data, after.Version
	s.own.put(o)
	return nil
}

// unsure has the next operation look what became of a place whose update was not answered.
func (s *session) unsure(o ownPlace, err error) error {
	if oneOf(err, driver.ErrUnknownOutcome) {
		s.own.put(ownPlace{line: o.line, id: o.id})
	}
	return err
}

// updated is a place after its update.
func (s *session) updated(line, id string, before seen) (driver.Place, error) {
	l, err := s.c.list(line)
	if err != nil {
		return driver.Place{}, afterWrite(err)
	}
	p := s.own.find(line, id).place
	if i := l.find(id); i >= 0 {
		p.Granted = l.fits(i)
	}
	if before.Eviction != nil {
		p.Eviction = before.fill(p).Eviction
	}
	return p, nil
}
