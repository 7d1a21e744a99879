package zkdriver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// conn is a connection, and the one ZooKeeper session that it is for. The client would
// begin another session when that has expired, silently, and send there what was meant for
// the old one. So then the connection is not made again.
type conn struct {
	d       *Driver
	zk      client
	watches *watches

	// ctx ends with the session, by driver.ErrSessionLost, and with the handle.
	ctx context.Context //nolint:containedctx // the connection's own lifetime
	end context.CancelCauseFunc

	unreached chan struct{} // has a token when no server could be reached
	stopped   chan struct{} // closed when the client's goroutines have ended
	severed   atomic.Bool   // no connection is made any more
	granted   atomic.Int64  // the session's time to live

	login sync.Mutex // held while the user is told to the server
	known bool       // it was: the client repeats it by itself, guarded by login

	mu      sync.Mutex
	failure error // of the last attempt to connect
	wire    net.Conn
	up      bool
	changed chan struct{} // closed and replaced when up changes
}

// connect begins to connect. It does not wait for that.
func (d *Driver) connect(ttl time.Duration) (*conn, error) {
	c := &conn{
		d:         d,
		watches:   newWatches(),
		unreached: make(chan struct{}, 1),
		stopped:   make(chan struct{}),
		changed:   make(chan struct{}),
	}
	c.ctx, c.end = context.WithCancelCause(d.ctx)
	client, events, err := zk.Connect(d.servers, ttl+time.Millisecond-1, // whole milliseconds, rounded up
		zk.WithDialer(c.dial), zk.WithHostProvider(&hosts{failed: c.unreachable}),
		zk.WithEventCallback(c.event), zk.WithLogger(logger{d.opts.Logger}), zk.WithLogInfo(false))
	if err != nil {
		return nil, err
	}
	c.zk = client
	if !d.task(func() { c.attend(events) }) { // ends with the client
		c.sever()
		client.Close()
		return nil, driver.ErrClosed
	}
	return c, nil
}

// attend waits until the client has ended. The events come by the callback: this channel
// loses what nobody reads in time.
func (c *conn) attend(events <-chan zk.Event) {
	defer close(c.stopped)
	defer context.AfterFunc(c.d.ctx, func() { c.abandon() })()
	for range events {
	}
}

// handshakeIn is how long connecting, or a handshake, may take at the most.
const handshakeIn = 3 * time.Second

// dial makes a connection for the client.
func (c *conn) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	w, err := c.dialWire(network, address, timeout)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.severed.Load() {
		_ = w.Close() // nothing was sent
		err = errSevered
	}
	if c.failure = err; err != nil {
		return nil, err
	}
	c.wire = w
	return w, nil
}

func (c *conn) dialWire(network, address string, timeout time.Duration) (*wire, error) {
	if c.severed.Load() {
		return nil, errSevered
	}
	ctx, cancel := context.WithTimeout(c.ctx, timeout)
	defer cancel()
	raw, err := c.d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &wire{Conn: raw, patience: c.patience, shaken: func(ttl time.Duration) { c.granted.Store(int64(ttl)) }}, nil
}

// whyNot is what the last attempt to connect failed with.
func (c *conn) whyNot() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		return errNoGreeting
	}
	return c.failure
}

var (
	errSevered    = errors.New("the session has ended")
	errNoGreeting = errors.New("a connection was made, and no session")
)

// patience is how long a server may be silent that was asked something, before another one
// is tried: short enough that the session survives a server that hangs.
func (c *conn) patience() time.Duration {
	if ttl := time.Duration(c.granted.Load()); ttl > 0 {
		return min(handshakeIn, max(ttl/5, minPatience))
	}
	return handshakeIn
}

// minPatience is for a machine that is busy.
const minPatience = 2 * time.Second

// event is what the client tells, in order. It must not block.
func (c *conn) event(e zk.Event) {
	if e.Type != zk.EventSession {
		c.watches.tell(e)
		return
	}
	switch e.State {
	case zk.StateHasSession:
		c.set(true)
	case zk.StateDisconnected:
		c.set(false)
	case zk.StateExpired:
		c.lost()
	}
}

func (c *conn) set(up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up == up {
		return
	}
	if up {
		select {
		case <-c.unreached: // that was before
		default:
		}
	} else {
		c.watches.reset()
	}
	c.up = up
	close(c.changed)
	c.changed = make(chan struct{})
}

// state returns whether there is a connection, and what is closed when that changes.
func (c *conn) state() (up bool, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up, c.changed
}

func (c *conn) unreachable() {
	select {
	case c.unreached <- struct{}{}:
	default:
	}
}

// established waits until there is a connection with a session.
func (c *conn) established(ctx context.Context) error {
	for {
		up, changed := c.state()
		if up {
			return nil
		}
		select {
		case <-changed:
		case <-c.unreached:
			return fmt.Errorf("%w: none of %d servers could be reached: %w", driver.ErrUnavailable, len(c.d.servers), c.whyNot())
		case <-c.ctx.Done():
			return context.Cause(c.ctx) //nolint:contextcheck // the connection's end, not the caller's
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", driver.ErrUnavailable, context.Cause(ctx))
		}
	}
}

// ready waits until there is a connection on which the server knows the user.
func (c *conn) ready(ctx context.Context) error {
	if err := c.established(ctx); err != nil || c.d.opts.Username == "" {
		return err
	}
	c.login.Lock()
	defer c.login.Unlock()
	if c.known {
		return nil
	}
	if err := c.zk.AddAuth("digest", []byte(c.d.opts.Username+":"+c.d.opts.Password)); err != nil {
		return read(err)
	}
	c.known = true
	return nil
}

// lost ends a session that the server says is no more.
func (c *conn) lost() {
	c.end(driver.ErrSessionLost)
	c.severed.Store(true)
	c.d.task(func() { c.zk.Close() }) // ends within seconds
}

// sever breaks the connection, for good.
func (c *conn) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.severed.Store(true)
	if c.wire != nil {
		_ = c.wire.Close() // what is under way is given up
	}
}

// abandon leaves the session to expire, as if the process had died.
func (c *conn) abandon() {
	c.sever()
	c.zk.Close()
}

// logger passes on what the client says.
type logger struct{ to *slog.Logger }

// Printf is what the client calls.
func (l logger) Printf(format string, args ...any) {
	l.to.LogAttrs(context.Background(), slog.LevelDebug, "zookeeper client", slog.String("message", fmt.Sprintf(format, args...)))
}
