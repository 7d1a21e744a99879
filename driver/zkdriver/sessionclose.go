package zkdriver

import (
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Close ends the session. The server removes all its nodes in one step.
//
// The client tells the server once, as it ends, and not whether it heard. So the handle's
// own connection looks whether the session's node is gone. If it is not, and nobody can
// tell the server again, the nodes that are known are removed one by one; what else there
// may be goes when the session expires, which nothing renews any more.
func (s *session) Close(ctx context.Context) error {
	s.c.end(driver.ErrSessionLost)
	_, err := run(ctx, &s.d.reader, true, func(ctx context.Context) (struct{}, error) {
		first := s.leave()
		return struct{}{}, s.confirm(ctx, !first)
	})
	if err != nil {
		return fmt.Errorf("close session %s: %w", s.id, err)
	}
	return nil
}

// leave has the client end the session and itself. It reports whether that was the first
// time.
func (s *session) leave() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.left {
		return false
	}
	s.left = true
	s.c.zk.Close()
	s.c.sever()
	return true
}

// confirm looks whether the session is gone, and with force sees to it.
func (s *session) confirm(ctx context.Context, force bool) error {
	c, err := s.d.reader.conn(ctx)
	if err != nil {
		return afterWrite(err)
	}
	if err := c.barrier(); err != nil {
		return afterWrite(err)
	}
	stands, _, err := c.zk.Exists(s.node)
	switch {
	case err != nil:
		return afterWrite(read(err))
	case !stands:
		return nil
	case !force:
		return fmt.Errorf("%w: the server has not ended it yet", driver.ErrUnknownOutcome)
	}
	return s.removeAll(c)
}

// removeAll removes the nodes of the session that are known, its own last: as long as that
// stands there may be others.
func (s *session) removeAll(c *conn) error {
	for _, o := range s.own.all() {
		if err := s.removeOne(c, o); err != nil && !oneOf(err, driver.ErrGone, driver.ErrMismatch, zk.ErrNoNode) {
			return afterWrite(err)
		}
	}
	if err := c.zk.Delete(s.node, anyVersion); err != nil && !oneOf(err, zk.ErrNoNode) {
		return wrote(err)
	}
	return nil
}

func (s *session) removeOne(c *conn, o ownPlace) error {
	if s.d.single() {
		k, err := c.key(o.line)
		if err != nil || k.place.Session != s.id {
			return err
		}
		return wrote(c.zk.Delete(s.d.layout.line(o.line), k.stat.Version))
	}
	l, err := c.list(o.line)
	if err != nil {
		return err
	}
	return c.removeTraces(l, o.id)
}
