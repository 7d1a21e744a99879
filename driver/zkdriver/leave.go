package zkdriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Leave removes every node of an ID that this session has made. It is one request where
// the node is known, as it is unless an answer was lost.
func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := cmp.Or(s.d.layout.check(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	_, err := do(ctx, s, true, func(context.Context) (struct{}, error) {
		defer s.own.take(placeID)()
		return struct{}{}, s.leavePlace(line, placeID)
	})
	if err != nil {
		return fmt.Errorf("leave %q: %w", line, err)
	}
	return nil
}

func (s *session) leavePlace(line, id string) error {
	o := s.own.find(line, id)
	if o != nil && o.node != "" && !o.lowered {
		err := wrote(s.c.zk.Delete(o.node, anyVersion))
		switch {
		case err == nil:
			s.own.forget(line, id)
			return nil
		case !oneOf(err, zk.ErrNoNode):
			return err
		}
		s.own.forget(line, id)
		return gone(line, id)
	}
	return s.leaveAll(line, id)
}

// leaveAll looks for nodes of an ID that may or may not stand.
func (s *session) leaveAll(line, id string) error {
	if err := s.c.settleLine(line); err != nil {
		return err
	}
	l, err := s.c.list(line)
	if err != nil {
		return err
	}
	if i := l.find(id); i >= 0 {
		switch at, err := s.c.look(l.of(i)); {
		case oneOf(err, zk.ErrNoNode):
		case err != nil:
			return err
		case at.stat.EphemeralOwner != s.c.zk.SessionID():
			return gone(line, id)
		}
	}
	if err := s.c.removeTraces(l, id); err != nil && !oneOf(err, driver.ErrGone) {
		return err
	} else if s.own.forget(line, id); err != nil {
		return err
	}
	return nil
}
