package zkdriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Wait returns when a place is granted. In a line of capacity 1 it watches its own, the one
// ahead, and the one beyond that, so that a leave wakes two processes; in one that is shared
// it watches the line. All watches are of one connection, on which all is told in order.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	after, err := s.wait(ctx, p.Line, p.ID)
	if err != nil {
		return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
	}
	return after, nil
}

// wait asks in other goroutines, and waits in its caller's, so that a grant wakes no more of
// them than it must.
func (s *session) wait(ctx context.Context, line, id string) (driver.Place, error) {
	for first := true; ; first = false {
		_, changed := s.c.state()
		t, err := do(ctx, s, false, func(context.Context) (outlook, error) { return s.turn(line, id, first) })
		switch {
		case err != nil && !first && oneOf(err, driver.ErrUnavailable) && ctx.Err() == nil:
			// The connection broke, and is made again, or the session ends.
			if err := s.c.awaitUp(ctx); err != nil {
				return driver.Place{}, s.gaveUp(ctx)
			}
			continue
		case err != nil || t.place.Granted:
			return t.place, err
		case t.next == nil:
			continue // it has changed already
		}
		granted, err := t.next.await(ctx, s.c, changed)
		if err != nil {
			return driver.Place{}, s.gaveUp(ctx)
		}
		if granted {
			t.place.Granted = true
			return t.place, nil
		}
	}
}

// gaveUp is why a wait has ended that nobody answered.
func (s *session) gaveUp(ctx context.Context) error {
	if err := s.ended(); err != nil {
		return err
	}
	return unanswered(ctx, false)
}

// outlook is whose turn it is: that of a place, or there is something to wait for. With
// neither, that has changed already.
type outlook struct {
	place driver.Place
	next  *waiting
}

// turn looks whose turn it is. Who is in the way may be known from when the place was made.
func (s *session) turn(line, id string, known bool) (outlook, error) {
	o, err := s.settled(line, id)
	switch {
	case err != nil:
		return outlook{}, err
	case o.place.Capacity > 1:
		return s.sharedTurn(o)
	case known && o.ahead.node != "" && o.place.Units > 0:
		return s.behind(o, o.ahead)
	}
	ahead, err := s.inTheWay(o)
	switch {
	case err != nil:
		return outlook{}, err
	case ahead.node != "":
		return s.behind(o, ahead)
	}
	p := o.place
	p.Granted = true
	return outlook{place: p}, nil
}

// inTheWay reads the line, and returns who is in the way of a place, if anybody is.
func (s *session) inTheWay(o *ownPlace) (obstacle, error) {
	l, err := s.c.list(o.line)
	if err != nil {
		return obstacle{}, err
	}
	i := l.at(o.node)
	if i < 0 {
		return obstacle{}, s.removed(o)
	}
	if l.places[i].Units == 0 {
		return obstacle{}, nil
	}
	return l.obstacle(i), nil
}

// behind watches a place and the one in its way.
func (s *session) behind(o *ownPlace, ahead obstacle) (outlook, error) {
	own, err := s.c.watchNode(o.node)
	switch {
	case oneOf(err, zk.ErrNoNode):
		return outlook{}, s.removed(o)
	case err != nil:
		return outlook{}, err
	}
	before, err := s.c.watchNode(ahead.node)
	switch {
	case oneOf(err, zk.ErrNoNode):
		return outlook{place: o.place}, nil
	case err != nil:
		return outlook{}, err
	}
	if s.c.watches.wasWritten(before) {
		// Perhaps its units went down before it was watched, and it is in nobody's way.
		switch now, err := s.inTheWay(o); {
		case err != nil:
			return outlook{}, err
		case now != ahead:
			return outlook{place: o.place}, nil
		}
	}
	next := &waiting{own: own, ahead: before}
	if ahead.beyond != "" {
		// When that one goes, there is time to find out that nobody else is in the way,
		// before the one ahead goes.
		next.beyond, err = s.c.watchNode(ahead.beyond)
		switch {
		case oneOf(err, zk.ErrNoNode):
			return outlook{place: o.place}, nil
		case err != nil:
			return outlook{}, err
		}
	}
	return outlook{o.place, next}, nil
}

// sharedTurn is turn in a line of more capacity: any change of it may let the place in.
func (s *session) sharedTurn(o *ownPlace) (outlook, error) {
	l, changes, err := s.c.watchLine(o.line)
	if err != nil {
		return outlook{}, err
	}
	i := l.at(o.node)
	if i < 0 {
		return outlook{}, s.removed(o)
	}
	p := o.place
	p.Granted, p.Units = l.fits(i), l.places[i].Units
	if changes == nil {
		return outlook{place: p}, nil
	}
	return outlook{p, &waiting{ahead: changes}}, nil
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
	own    *watch // of its own node; nil where ahead shows that, too
	ahead  *watch
	beyond *watch // of who is in the way of the one ahead; nil when nobody is
}

// await waits until something happened, and reports whether that was the grant: the last
// one in the way has gone, and by then nothing had happened to the place itself.
func (w *waiting) await(ctx context.Context, c *conn, broken <-chan struct{}) (granted bool, err error) {
	select {
	case <-w.own.event():
		return false, nil
	case <-w.beyond.event():
		return false, nil
	case <-w.ahead.fired:
		return w.own != nil && w.beyond == nil && w.ahead.removed && !w.own.hasFired(), nil
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
