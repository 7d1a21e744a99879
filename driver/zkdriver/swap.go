package zkdriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Swap removes one node and makes another, in one step.
func (s *session) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := cmp.Or(c.CheckSwap(p), s.d.layout.check(c.Line)); err != nil {
		return driver.Place{}, err
	}
	c.Data = bytes.Clone(c.Data)
	after, err := do(ctx, s, true, func(ctx context.Context) (driver.Place, error) {
		// In one order, so that two swaps never wait for each other.
		first, second := min(p.ID, c.ID), max(p.ID, c.ID)
		defer s.own.take(first)()
		defer s.own.take(second)()
		return s.swap(ctx, p.ID, c)
	})
	if err != nil {
		return driver.Place{}, fmt.Errorf("swap in %q: %w", c.Line, err)
	}
	return after, nil
}

func (s *session) swap(ctx context.Context, old string, c driver.Claim) (driver.Place, error) {
	l, i, err := s.standing(c.Line, c.ID)
	switch {
	case err != nil:
		return driver.Place{}, err
	case i >= 0: // an earlier attempt succeeded
		s.own.forget(c.Line, old)
		return s.granted(l, i), nil
	}
	o, err := s.known(c.Line, old)
	switch {
	case err != nil:
		return driver.Place{}, err
	case ctx.Err() != nil:
		return driver.Place{}, context.Cause(ctx)
	}
	if err := s.maySwap(o, c); err != nil {
		return driver.Place{}, err
	}
	leaving := []any{remove(o.node)}
	if o.lowered {
		leaving = append(leaving, remove(s.d.layout.line(c.Line)+"/"+unitsNode(old, o.place.Units)))
	}
	made, others, err := s.join(c, leaving)
	if oneOf(err, zk.ErrNoNode) {
		s.own.forget(c.Line, old)
		return driver.Place{}, gone(c.Line, old)
	}
	if err != nil {
		return driver.Place{}, err
	}
	s.own.forget(c.Line, old)
	p := made.place
	if p.Granted = !others; p.Granted {
		return p, nil
	}
	if l, err = s.c.list(c.Line); err != nil {
		return driver.Place{}, afterWrite(err)
	}
	if i = l.at(made.node); i < 0 {
		return p, nil // removed by now, which Wait tells
	}
	return s.granted(l, i), nil
}

// granted is a place of this session's, as number i of a line.
func (s *session) granted(l *lineup, i int) driver.Place {
	p := s.own.find(l.name, l.places[i].ID).place
	p.Granted, p.Units = l.fits(i), l.places[i].Units
	s.own.behind(p.Line, p.ID, l.obstacle(i))
	return p
}

// known returns a place of this session's whose node is known. It answers ErrGone when
// there is none.
func (s *session) known(line, id string) (*ownPlace, error) {
	if o := s.own.find(line, id); o != nil && o.node != "" {
		return o, nil
	}
	_, i, err := s.standing(line, id)
	switch {
	case err != nil:
		return nil, err
	case i < 0:
		// Whether the store can be reached is for it to say.
		if _, _, err := s.c.zk.Exists(s.node); err != nil {
			return nil, read(err)
		}
		return nil, gone(line, id)
	}
	return s.own.find(line, id), nil
}

// maySwap looks whether a claim of another kind or capacity may take the old place's place
// in the line: only alone. Of its own kind all others are already.
func (s *session) maySwap(o *ownPlace, c driver.Claim) error {
	if o.place.Matches(c.Kind, c.Capacity) {
		return nil
	}
	l, err := s.c.list(c.Line)
	if err != nil {
		return err
	}
	var others []driver.Place
	for _, p := range l.places {
		if p.ID != o.id {
			others = append(others, p)
		}
	}
	if mismatched(others, c) {
		return fmt.Errorf("%w: others stand there who are no %s of capacity %d", driver.ErrMismatch, c.Kind, c.Capacity)
	}
	return nil
}
