package redisserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Link is the network between one client and its servers, which a test can break. Its
// method Dial is the client's dialer.
type Link struct {
	mu   sync.Mutex
	cut  bool
	gate chan struct{} // nil while it flows
	lose bool
	open map[*conn]struct{}
}

// NewLink returns a link that works.
func NewLink() *Link { return &Link{open: make(map[*conn]struct{})} }

var errCut = errors.New("redisserver: the link is cut")

// Dial connects to a server.
func (l *Link) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	cut := l.cut
	l.mu.Unlock()
	if cut {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errCut}
	}
	raw, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, l: l, closed: make(chan struct{}), expired: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		raw.Close()
		return nil, &net.OpError{Op: "dial", Net: network, Err: errCut}
	}
	l.open[c] = struct{}{}
	return c, nil
}

// Cut breaks all connections and refuses new ones, until heal is called.
func (l *Link) Cut() (heal func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for c := range l.open {
		c.Conn.Close()
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cut = false
	}
}

// Stall lets nothing through until resume is called: connections stay open, and new ones
// can be made.
func (l *Link) Stall() (resume func()) {
	gate := make(chan struct{})
	l.mu.Lock()
	l.gate = gate
	l.mu.Unlock()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.gate = nil
		close(gate)
	})
}

// Deaden lets nothing more through the connections that are open now: they have died, and
// neither side was told. New ones work.
func (l *Link) Deaden() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		c.dead.Store(true)
	}
}

// LoseAnswer breaks the connection in place of the answer to the next script that is run.
func (l *Link) LoseAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = true
}

// takesLoss takes the order to lose an answer, if there is one.
func (l *Link) takesLoss() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lose := l.lose
	l.lose = false
	return lose
}

func (l *Link) gated() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gate
}

// conn is a connection over a link.
type conn struct {
	net.Conn
	l      *Link
	dead   atomic.Bool
	once   sync.Once
	closed chan struct{}

	mu      sync.Mutex
	loses   bool          // what comes next
	expired chan struct{} // closed when its deadline was set into the past
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for c.dead.Load() && err == nil { // nothing comes, until a deadline
		n, err = c.Conn.Read(b)
	}
	if !c.pass() {
		return 0, os.ErrDeadlineExceeded
	}
	if err == nil && c.eats(b[:n]) {
		c.Close()
		return 0, io.EOF
	}
	return n, err
}

// eats reports whether this is the answer to be lost. That the server does not know a
// script is none: it was not run.
func (c *conn) eats(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	eats := c.loses && !bytes.HasPrefix(b, []byte("-NOSCRIPT"))
	c.loses = false
	return eats
}

func (c *conn) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return len(b), nil
	}
	if !c.pass() {
		return 0, os.ErrDeadlineExceeded
	}
	if bytes.Contains(b, []byte("\r\neval")) && c.l.takesLoss() {
		c.mu.Lock()
		c.loses = true
		c.mu.Unlock()
	}
	return c.Conn.Write(b)
}

// pass waits while the link is stalled. It reports false when somebody has set the deadline
// into the past, so as not to wait any longer.
func (c *conn) pass() bool {
	for gate := c.l.gated(); gate != nil; gate = c.l.gated() {
		c.mu.Lock()
		expired := c.expired
		c.mu.Unlock()
		select {
		case <-gate:
		case <-c.closed:
			return true
		case <-expired:
			return false
		}
	}
	return true
}

func (c *conn) SetDeadline(at time.Time) error {
	c.expire(at)
	return c.Conn.SetDeadline(at)
}

func (c *conn) SetReadDeadline(at time.Time) error {
	c.expire(at)
	return c.Conn.SetReadDeadline(at)
}

func (c *conn) expire(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.expired:
		c.expired = make(chan struct{})
	default:
	}
	if !at.IsZero() && at.Before(time.Now()) {
		close(c.expired)
	}
}

func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.l.mu.Lock()
		defer c.l.mu.Unlock()
		delete(c.l.open, c)
	})
	return c.Conn.Close()
}
