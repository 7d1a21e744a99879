package zkdriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Wait returns when a place is granted. In a line of capacity 1 it watches the place ahead
// and its own, so that a leave wakes one process; in one that is shared it watches the
// line. Both watches are of one connection, on which all is told in order.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	after, err := do(ctx, s, false, func(ctx context.Context) (driver.Place, error) { return s.wait(ctx, p.Line, p.ID) })
	if err != nil {
		return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
	}
	return after, nil
}

func (s *session) wait(ctx context.Context, line, id string) (driver.Place, error) {
	for first := true; ; first = false {
		_, changed := s.c.state()
		p, next, err := s.turn(line, id)
		switch {
		case err != nil && !first && oneOf(err, driver.ErrUnavailable):
			// The connection broke, and is made again, or the session ends.
			if err := s.c.awaitUp(ctx); err != nil {
				return driver.Place{}, err
			}
			continue
		case err != nil || p.Granted:
			return p, err
		case next == nil:
			continue // it has changed already
		}
		granted, err := next.await(ctx, s.c, changed)
		if err != nil {
			return driver.Place{}, err
		}
		if granted {
			p.Granted = true
			return p, nil
		}
	}
}

// turn looks whose turn it is, and what to wait for when it is not this place's.
func (s *session) turn(line, id string) (driver.Place, *waiting, error) {
	o, err := s.settled(line, id)
	if err != nil {
		return driver.Place{}, nil, err
	}
	if o.place.Capacity > 1 {
		return s.sharedTurn(o)
	}
	l, err := s.c.list(line)
	if err != nil {
		return driver.Place{}, nil, err
	}
	i := l.at(o.node)
	if i < 0 {
		return driver.Place{}, nil, s.removed(o)
	}
	p := o.place
	p.Units = l.places[i].Units
	ahead := l.blocker(i)
	if ahead < 0 || p.Units == 0 {
		p.Granted = true
		return p, nil, nil
	}
	own, err := s.c.watchNode(o.node)
	switch {
	case oneOf(err, zk.ErrNoNode):
		return driver.Place{}, nil, s.removed(o)
	case err != nil:
		return driver.Place{}, nil, err
	}
	before, err := s.c.watchNode(l.of(ahead))
	switch {
	case oneOf(err, zk.ErrNoNode):
		return p, nil, nil
	case err != nil:
		return driver.Place{}, nil, err
	}
	return p, &waiting{own: own, ahead: before, last: l.blocker(ahead) < 0}, nil
}

// sharedTurn is turn in a line of more capacity: any change of it may let the place in.
func (s *session) sharedTurn(o *ownPlace) (driver.Place, *waiting, error) {
	l, changes, err := s.c.watchLine(o.line)
	if err != nil {
		return driver.Place{}, nil, err
	}
	i := l.at(o.node)
	if i < 0 {
		return driver.Place{}, nil, s.removed(o)
	}
	p := o.place
	p.Granted, p.Units = l.fits(i), l.places[i].Units
	if changes == nil {
		return p, nil, nil
	}
	return p, &waiting{ahead: changes}, nil
}

// settled returns the place to wait for, once no operation on it is under way.
func (s *session) settled(line, id string) (*ownPlace, error) {
	defer s.own.take(id)()
	return s.known(line, id)
}

// removed notes that a place is gone, as this session was told on its own connection.
func (s *session) removed(o *ownPlace) error {
	defer s.own.take(o.id)()
	if now := s.own.find(o.line, o.id); now != nil && now.node == o.node {
		s.own.forget(o.line, o.id)
	}
	return gone(o.line, o.id)
}

// waiting is what a place waits for.
type waiting struct {
	own   *watch // of its own node; nil where ahead shows that, too
	ahead *watch
	last  bool // nobody else is in the way
}

// await waits until something happened, and reports whether that was the grant: the last
// one in the way has gone, and by then nothing had happened to the place itself.
func (w *waiting) await(ctx context.Context, c *conn, broken <-chan struct{}) (granted bool, err error) {
	var own <-chan struct{}
	if w.own != nil {
		own = w.own.fired
	}
	select {
	case <-own:
		return false, nil
	case <-w.ahead.fired:
		return w.own != nil && w.last && w.ahead.removed && !w.own.hasFired(), nil
	case <-broken:
		return false, c.awaitUp(ctx)
	case <-c.ctx.Done():
		return false, context.Cause(c.ctx) //nolint:contextcheck // the connection's end, not the caller's
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// awaitUp waits until the connection is there again. Whether it comes is bounded by the
// session's life: it ends when it is not renewed.
func (c *conn) awaitUp(ctx context.Context) error {
	for {
		up, changed := c.state()
		if up {
			return nil
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
			return context.Cause(c.ctx) //nolint:contextcheck // the connection's end, not the caller's
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
