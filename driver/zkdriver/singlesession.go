package zkdriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// singleSession is a session in that layout.
type singleSession struct{ *session }

// Enter waits for the node to be free, and makes it.
func (s singleSession) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := cmp.Or(c.Check(), checkSingle(c), s.d.layout.check(c.Line)); err != nil {
		return driver.Place{}, err
	}
	p, err := do(ctx, s.session, true, func(ctx context.Context) (driver.Place, error) {
		defer s.own.take(c.ID)()
		return s.enter(ctx, c)
	})
	if err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

func checkSingle(c driver.Claim) error {
	if c.Capacity != 1 || c.Units != 1 {
		return fmt.Errorf("%w: one node is one lock, and has no place for %d of %d", driver.ErrUnsupported, c.Units, c.Capacity)
	}
	return nil
}

func (s singleSession) enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	for {
		if ctx.Err() != nil {
			return driver.Place{}, context.Cause(ctx) // nobody is there any more
		}
		_, changed := s.c.state()
		p, made, err := s.take(c)
		if made || err != nil {
			return p, err
		}
		k, err := s.c.key(c.Line)
		switch {
		case oneOf(err, zk.ErrNoNode):
			continue
		case err != nil:
			return driver.Place{}, err
		case s.owns(k, c.ID):
			return k.place, nil
		case c.Try:
			return driver.Place{}, &driver.BusyError{Head: k.place, Ahead: 1}
		}
		w, err := s.c.watchNode(s.d.layout.line(c.Line))
		if oneOf(err, zk.ErrNoNode) {
			continue
		}
		if err != nil {
			return driver.Place{}, err
		}
		if _, err := (&waiting{ahead: w}).await(ctx, s.c, changed); err != nil {
			return driver.Place{}, err
		}
	}
}

// owns reports whether a node is this session's, for this ID.
func (s singleSession) owns(k key, id string) bool {
	return k.place.ID == id && k.stat.EphemeralOwner == s.c.zk.SessionID()
}

// take makes the node, if there is none. It is written as well, in the same step: only a write
// tells the transaction.
func (s singleSession) take(c driver.Claim) (p driver.Place, made bool, err error) {
	path := s.d.layout.line(c.Line)
	data := encode(record{ID: c.ID, Kind: c.Kind, Owner: s.owner, TTL: s.ttl.Milliseconds(), Version: 1, Data: c.Data})
	s.own.put(ownPlace{line: c.Line, id: c.ID})
	answers, err := s.c.zk.Multi(s.c.create(path, nil, zk.FlagEphemeral), set(path, data, anyVersion))
	switch {
	case oneOf(err, zk.ErrNoNode):
		return p, false, s.c.makePath(parent(path))
	case oneOf(err, zk.ErrNodeExists):
		return p, false, nil
	case err != nil:
		return p, false, wrote(err)
	}
	s.own.put(ownPlace{line: c.Line, id: c.ID, node: path})
	return driver.Place{
		Line: c.Line, ID: c.ID, Session: s.id, Owner: s.owner, TTL: s.ttl,
		Kind: c.Kind, Capacity: 1, Units: 1, Data: c.Data,
		Order: uint64(answers[1].Stat.Mzxid), Version: 1, Granted: true,
	}, true, nil
}

// Wait tells whether the place still stands: Enter has waited.
func (s singleSession) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	return do(ctx, s.session, false, func(context.Context) (driver.Place, error) {
		k, err := s.stands(p.Line, p.ID)
		return k.place, err
	})
}

// stands reads a place of this session's. It answers ErrGone when that does not stand.
func (s singleSession) stands(line, id string) (key, error) {
	k, err := s.look(line, id)
	if oneOf(err, driver.ErrGone) {
		s.own.forget(line, id)
	}
	return k, err
}

// look reads a place of this session's, as stands does, and forgets none.
func (s singleSession) look(line, id string) (key, error) {
	if o := s.own.find(line, id); o == nil || o.node == "" {
		// What an earlier connection has asked for may have been carried out since, by
		// another server.
		if err := s.c.barrier(); err != nil {
			return key{}, err
		}
	}
	k, err := s.c.key(line)
	if oneOf(err, zk.ErrNoNode, driver.ErrMismatch) || err == nil && !s.owns(k, id) {
		return key{}, gone(line, id)
	}
	return k, err
}

// Update is refused: the node says who holds, and no more.
func (s singleSession) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	return driver.Place{}, fmt.Errorf("%w: place %s is a node of its own, and has no room for changes", driver.ErrUnsupported, p.ID)
}

// Swap is Leave, which lets others in, and then Enter.
func (s singleSession) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := cmp.Or(c.CheckSwap(p), checkSingle(c), s.d.layout.check(c.Line)); err != nil {
		return driver.Place{}, err
	}
	return do(ctx, s.session, true, func(ctx context.Context) (driver.Place, error) {
		first, second := min(p.ID, c.ID), max(p.ID, c.ID)
		defer s.own.take(first)()
		defer s.own.take(second)()
		if s.own.find(c.Line, c.ID) != nil { // there was an earlier attempt
			if k, err := s.stands(c.Line, c.ID); !oneOf(err, driver.ErrGone) {
				return k.place, err
			}
		}
		if err := s.leavePlace(p.Line, p.ID); err != nil {
			return driver.Place{}, err
		}
		return s.enter(ctx, c)
	})
}

// Leave removes the node, if it is this session's for this ID.
func (s singleSession) Leave(ctx context.Context, line, placeID string) error {
	if err := cmp.Or(s.d.layout.check(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	_, err := do(ctx, s.session, true, func(context.Context) (struct{}, error) {
		defer s.own.take(placeID)()
		return struct{}{}, s.leavePlace(line, placeID)
	})
	if err != nil {
		return fmt.Errorf("leave %q: %w", line, err)
	}
	return nil
}

func (s singleSession) leavePlace(line, id string) error {
	k, err := s.stands(line, id)
	if err != nil {
		return err
	}
	err = s.c.zk.Delete(s.d.layout.line(line), k.stat.Version)
	switch {
	case oneOf(err, zk.ErrNoNode, zk.ErrBadVersion):
		err = gone(line, id)
	case err != nil:
		return wrote(err)
	}
	s.own.forget(line, id)
	return err
}

// Present returns the places of the session: those that stand, of the IDs it has tried.
func (s singleSession) Present(ctx context.Context) ([]driver.Place, error) {
	return do(ctx, s.session, false, func(context.Context) ([]driver.Place, error) {
		if _, _, err := s.c.zk.Exists(s.node); err != nil {
			return nil, read(err)
		}
		var places []driver.Place
		for _, o := range s.own.all() {
			k, err := s.look(o.line, o.id) // one that waits has no place, and goes on
			switch {
			case oneOf(err, driver.ErrGone):
			case err != nil:
				return nil, err
			default:
				places = append(places, k.place)
			}
		}
		return places, nil
	})
}
