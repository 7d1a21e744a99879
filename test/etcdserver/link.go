package etcdserver

import (
	"context"
	"errors"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Link is the network between one client and the servers, which a test can break.
type Link struct {
	mu      sync.Mutex
	cut     bool
	stalled chan struct{} // closed when it goes on; nil while it flows
	open    map[*conn]struct{}
	lose    bool
}

// NewLink returns a link that works.
func NewLink() *Link { return &Link{open: make(map[*conn]struct{})} }

// Options make a client use the link.
func (l *Link) Options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithContextDialer(l.dial),
		grpc.WithChainUnaryInterceptor(l.intercept),
	}
}

// Cut breaks all connections and refuses new ones, until heal is called.
func (l *Link) Cut() (heal func()) {
	l.mu.Lock()
	l.cut = true
	for c := range l.open {
		c.Conn.Close()
	}
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cut = false
	}
}

// Stall keeps all connections open and lets nothing through, until resume is called.
func (l *Link) Stall() (resume func()) {
	gate := make(chan struct{})
	l.mu.Lock()
	l.stalled = gate
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.stalled == gate {
			close(gate)
			l.stalled = nil
		}
	}
}

// LoseAnswer lets the next request that writes take effect, and loses its answer.
func (l *Link) LoseAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = true
}

var errCut = errors.New("etcdserver: the link is cut")

func (l *Link) dial(ctx context.Context, address string) (net.Conn, error) {
	l.mu.Lock()
	cut := l.cut
	l.mu.Unlock()
	if cut {
		return nil, errCut
	}
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, l: l, closed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		raw.Close()
		return nil, errCut
	}
	l.open[c] = struct{}{}
	return c, nil
}

// intercept loses an answer when that was asked for.
func (l *Link) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	if err == nil && writes(method) && l.loses() {
		return status.Error(codes.Unavailable, "etcdserver: the answer was lost on the way")
	}
	return err
}

func (l *Link) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.lose
	l.lose = false
	return lost
}

func writes(method string) bool {
	switch method {
	case "/etcdserverpb.KV/Put", "/etcdserverpb.KV/Txn", "/etcdserverpb.KV/DeleteRange",
		"/etcdserverpb.Lease/LeaseGrant", "/etcdserverpb.Lease/LeaseRevoke":
		return true
	}
	return false
}

// conn is a connection over a link.
type conn struct {
	net.Conn
	l      *Link
	once   sync.Once
	closed chan struct{}
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.pass()
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	c.pass()
	return c.Conn.Write(b)
}

// pass waits while the link is stalled.
func (c *conn) pass() {
	c.l.mu.Lock()
	gate := c.l.stalled
	c.l.mu.Unlock()
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-c.closed:
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
