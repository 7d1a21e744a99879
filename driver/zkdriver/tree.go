package zkdriver

import (
	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// makePath makes the nodes of a path that are not there.
func (c *conn) makePath(path string) error {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		_, err := c.zk.Create(path[:i], nil, zk.FlagPersistent, c.d.acl())
		switch {
		case oneOf(err, zk.ErrNoAuth):
			// Not ours to make, and likely there: a user may have rights below only. What
			// comes next says so if it is not.
		case err != nil && !oneOf(err, zk.ErrNodeExists):
			return wrote(err)
		}
	}
	return nil
}

// makeLine makes the node of a line. It is a container, which the server removes some time
// after its last place has gone: no newcomer is ever raced.
func (c *conn) makeLine(path string) error {
	if err := c.mayStandBelow(parent(path)); err != nil {
		return err
	}
	_, err := c.zk.CreateContainer(path, nil, zk.FlagContainer, c.d.acl())
	if oneOf(err, zk.ErrNoNode) {
		if err := c.makePath(parent(path)); err != nil {
			return err
		}
		_, err = c.zk.CreateContainer(path, nil, zk.FlagContainer, c.d.acl())
	}
	if oneOf(err, zk.ErrNodeExists) {
		return nil
	}
	return wrote(err)
}

// barrier returns once this connection's server has all that was answered to anybody
// before. It is a write: a leader that was abandoned by its quorum answers a sync for a
// while, and a read for longer.
func (c *conn) barrier() error {
	_, err := c.now()
	return err
}

// now is a barrier that returns the store's time, in milliseconds.
func (c *conn) now() (int64, error) {
	stat, err := c.zk.Set(c.d.layout.records, nil, anyVersion)
	if oneOf(err, zk.ErrNoNode) {
		if err := c.makePath(c.d.layout.records); err != nil {
			return 0, err
		}
		stat, err = c.zk.Set(c.d.layout.records, nil, anyVersion)
	}
	if err != nil {
		return 0, read(err)
	}
	return stat.Mtime, nil
}

// settleLine is a barrier at a line, for which no other rights are needed than to enter it. That
// there is no such line is an answer of the quorum, too.
func (c *conn) settleLine(name string) error {
	_, err := c.zk.Set(c.d.layout.line(name), nil, anyVersion)
	if oneOf(err, zk.ErrNoNode) {
		return nil
	}
	return read(err)
}

// list reads the names of a line's nodes. A line that does not exist is empty.
func (c *conn) list(name string) (*lineup, error) {
	path := c.d.layout.line(name)
	children, _, err := c.zk.Children(path)
	if err != nil && !oneOf(err, zk.ErrNoNode) {
		return nil, read(err)
	}
	return c.d.layout.lineup(name, path, children), nil
}

// removeTraces removes all that stands in a line for an ID.
func (c *conn) removeTraces(l *lineup, id string) error {
	found := false
	for i, p := range l.places {
		if p.ID != id || p.Foreign {
			continue
		}
		switch err := c.removePlace(l, i); {
		case err == nil:
			found = true
		case !oneOf(err, zk.ErrNoNode):
			return err
		}
	}
	if !found {
		return gone(l.name, id)
	}
	return nil
}

// removePlace removes one place, and what tells its units, on some conditions.
func (c *conn) removePlace(l *lineup, i int, conditions ...any) error {
	p := l.places[i]
	ops := append(conditions, remove(l.of(i)))
	if p.Units < l.nodes[i].claimed {
		ops = append(ops, remove(l.path+"/"+unitsNode(p.ID, p.Units)))
	}
	if len(ops) == 1 {
		return wrote(c.zk.Delete(l.of(i), anyVersion))
	}
	_, err := c.zk.Multi(ops...)
	return wrote(err)
}

// look reads the node of a place.
func (c *conn) look(path string) (seen, error) {
	data, stat, err := c.zk.Get(path)
	if err != nil {
		return seen{}, read(err)
	}
	return parseRecord(data, stat), nil
}

// busy reads the first place of a line, to tell who is in the way. It reports false when
// that has just gone.
func (c *conn) busy(l *lineup, ahead int) (*driver.BusyError, bool, error) {
	s, err := c.look(l.of(0))
	if oneOf(err, zk.ErrNoNode) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	head := s.fill(l.places[0])
	head.Granted = true
	return &driver.BusyError{Head: head, Ahead: ahead}, true, nil
}
