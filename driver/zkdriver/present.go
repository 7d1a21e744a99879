package zkdriver

import (
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Present returns the places of the session. ZooKeeper's protocol has no list of a
// session's nodes that this client knows; but nobody else makes them, and their IDs are
// noted before they are sent. So it looks which of these stand.
func (s *session) Present(ctx context.Context) ([]driver.Place, error) {
	places, err := do(ctx, s, false, func(context.Context) ([]driver.Place, error) { return s.present() })
	if err != nil {
		return nil, fmt.Errorf("places of session %s: %w", s.id, err)
	}
	return places, nil
}

func (s *session) present() ([]driver.Place, error) {
	if stands, _, err := s.c.zk.Exists(s.node); err != nil {
		return nil, read(err)
	} else if !stands {
		return nil, fmt.Errorf("%w: the node of session %s was removed", driver.ErrSessionLost, s.id)
	}
	var places []driver.Place
	for _, o := range s.own.all() {
		p, stands, err := s.presentPlace(o.line, o.id)
		switch {
		case err != nil:
			return nil, err
		case stands:
			places = append(places, p)
		}
	}
	return places, nil
}

// presentPlace looks for one place, once no operation on it is under way.
func (s *session) presentPlace(line, id string) (p driver.Place, stands bool, err error) {
	defer s.own.take(id)()
	o := s.own.find(line, id)
	if o == nil {
		return p, false, nil
	}
	if o.node == "" {
		_, i, err := s.standing(line, id)
		if err != nil || i < 0 {
			return p, false, err
		}
		o = s.own.find(line, id)
	}
	at, err := s.c.look(o.node)
	switch {
	case oneOf(err, zk.ErrNoNode):
		s.own.forget(line, id)
		return p, false, nil
	case err != nil:
		return p, false, err
	}
	return at.fill(o.place), true, nil
}
