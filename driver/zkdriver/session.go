package zkdriver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// session is a ZooKeeper session with a connection of its own, and a node that tells of it.
type session struct {
	d     *Driver
	c     *conn
	id    string
	owner string
	ttl   time.Duration
	node  string // its own, which renewals write
	blank []byte // what is in the node of a place without data
	own   *ownPlaces
	beat  heartbeat

	// expiry ends the session when it was not renewed for its time to live. The client
	// keeps it alive by itself as long as the process runs, which is not what the contract
	// means by a session that nobody renews.
	expiry *time.Timer

	closing sync.Mutex // one Close at a time
	left    bool       // the client has been told to end the session, guarded by closing
}

var _ driver.Session = (*session)(nil)

// Open starts a session. The servers may grant a longer time to live than was asked for;
// where they grant a shorter one, Open fails.
func (d *Driver) Open(ctx context.Context, opts driver.SessionOptions) (driver.Session, error) {
	if least := d.Features().MinTTL; opts.TTL < least || opts.TTL > maxTTL {
		return nil, fmt.Errorf("%w: a TTL is %v to %v, not %v", driver.ErrInvalid, least, maxTTL, opts.TTL)
	}
	if err := driver.CheckOwner(opts.Owner); err != nil {
		return nil, err
	}
	s, err := run(ctx, &d.reader, true, func(ctx context.Context) (*session, error) { return d.open(ctx, opts) })
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	if d.single() {
		return singleSession{s}, nil
	}
	return s, nil
}

func (d *Driver) open(ctx context.Context, opts driver.SessionOptions) (*session, error) {
	sent := time.Now()
	c, err := d.connect(opts.TTL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
	s, err := c.session(ctx, opts)
	if err != nil {
		c.abandon() // nothing lives by it yet
		return nil, err
	}
	s.expiry = time.AfterFunc(s.ttl-time.Since(sent), s.expire)
	context.AfterFunc(c.ctx, func() { s.expiry.Stop() }) //nolint:contextcheck // it lives as long as the connection
	return s, nil
}

// session makes the session of a connection known in the store.
func (c *conn) session(ctx context.Context, opts driver.SessionOptions) (*session, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	s := &session{
		d:     c.d,
		c:     c,
		id:    sessionText(c.zk.SessionID()),
		owner: opts.Owner,
		ttl:   time.Duration(c.granted.Load()),
		own:   newOwnPlaces(),
	}
	if s.ttl < opts.TTL {
		return nil, fmt.Errorf("%w: the servers grant a TTL of at most %v, not %v", driver.ErrInvalid, s.ttl, opts.TTL)
	}
	s.blank = encode(record{Owner: s.owner, TTL: s.ttl.Milliseconds(), Version: 1})
	s.node = c.d.layout.session(s.id)
	_, err := c.zk.Create(s.node, nil, zk.FlagEphemeral, c.d.acl())
	if oneOf(err, zk.ErrNoNode) {
		if err := c.makePath(c.d.layout.sessions()); err != nil {
			return nil, err
		}
		_, err = c.zk.Create(s.node, nil, zk.FlagEphemeral, c.d.acl())
	}
	if err != nil {
		return nil, wrote(err)
	}
	return s, nil
}

// ID is how ZooKeeper's own tools write the session.
func (s *session) ID() string { return s.id }

// TTL is what the server granted.
func (s *session) TTL() time.Duration { return s.ttl }

func (s *session) handle() *Driver                              { return s.d }
func (s *session) over() <-chan struct{}                        { return s.c.ctx.Done() }
func (s *session) usable(ctx context.Context) error             { return usable(ctx, s) }
func (s *session) explain(ctx context.Context, err error) error { return explain(ctx, s, err) }

// ended says why the session has ended, as far as that is known here.
func (s *session) ended() error {
	switch cause := context.Cause(s.c.ctx); {
	case cause == nil:
		return nil
	case oneOf(cause, driver.ErrClosed):
		return driver.ErrClosed
	}
	return fmt.Errorf("%w: %s", driver.ErrSessionLost, s.id)
}

// do is run for the session's operations, which end with the session.
func do[T any](ctx context.Context, s *session, writes bool, f func(ctx context.Context) (T, error)) (T, error) {
	return run(ctx, s, writes, func(ctx context.Context) (T, error) {
		v, err := f(ctx)
		if oneOf(err, driver.ErrSessionLost) {
			s.c.lost()
		}
		return v, err
	})
}

// expire ends a session that nobody renewed.
func (s *session) expire() {
	s.c.end(driver.ErrSessionLost)
	s.d.task(func() { s.leave() }) // ends within seconds
}
