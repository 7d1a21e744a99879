package etcdserver

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Link is the network between one client and the servers, which a test can break.
type Link struct {
	mu sync.Mutex
	// cuts and stalls are what is broken now. A stall's channel is closed when it ends.
	cuts   map[*breakage]struct{}
	stalls map[*breakage]chan struct{}
	open   map[*conn]struct{}
	lose   bool
}

// breakage is what a cut or a stall affects: these servers or, when it names none, all.
type breakage struct{ addresses []string }

func (b *breakage) affects(address string) bool {
	return len(b.addresses) == 0 || slices.Contains(b.addresses, address)
}

// NewLink returns a link that works.
func NewLink() *Link {
	return &Link{
		cuts:   make(map[*breakage]struct{}),
		stalls: make(map[*breakage]chan struct{}),
		open:   make(map[*conn]struct{}),
	}
}

// Options make a client use the link.
func (l *Link) Options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithContextDialer(l.dial),
		grpc.WithChainUnaryInterceptor(l.intercept),
	}
}

// Cut breaks the connections to these servers, or to all, and refuses new ones, until heal
// is called.
func (l *Link) Cut(addresses ...string) (heal func()) {
	cut := &breakage{addresses}
	l.mu.Lock()
	l.cuts[cut] = struct{}{}
	for c := range l.open {
		if cut.affects(c.address) {
			c.Conn.Close()
		}
	}
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.cuts, cut)
	}
}

// Stall lets nothing through to these servers, or to any, until resume is called: all
// connections stay open, and new ones can be made, as to a process that was stopped or
// behind a network that drops everything.
func (l *Link) Stall(addresses ...string) (resume func()) {
	stall, gate := &breakage{addresses}, make(chan struct{})
	l.mu.Lock()
	l.stalls[stall] = gate
	l.mu.Unlock()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.stalls, stall)
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

func (l *Link) isCutLocked(address string) bool {
	for cut := range l.cuts {
		if cut.affects(address) {
			return true
		}
	}
	return false
}

// gate is what a connection to this server waits for; nil when it flows.
func (l *Link) gate(address string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for stall, gate := range l.stalls {
		if stall.affects(address) {
			return gate
		}
	}
	return nil
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
	cut := l.isCutLocked(address)
	l.mu.Unlock()
	if cut {
		return nil, errCut
	}
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, l: l, address: address, closed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCutLocked(address) {
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
	l       *Link
	address string
	dead    atomic.Bool
	once    sync.Once
	closed  chan struct{}
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
	if c.dead.Load() {
		<-c.closed
		return
	}
	for gate := c.l.gate(c.address); gate != nil; gate = c.l.gate(c.address) {
		select {
		case <-gate:
		case <-c.closed:
			return
		}
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
