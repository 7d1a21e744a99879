package zkserver

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// Link is the network between one client and the servers, which a test can break.
type Link struct {
	mu   sync.Mutex
	cut  bool
	gate chan struct{} // closed when a stall ends; nil while all flows
	lose bool
	open map[*conn]struct{}
}

// NewLink returns a link that works.
func NewLink() *Link { return &Link{open: make(map[*conn]struct{})} }

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

// Stall lets nothing through until resume is called; connections stay open.
func (l *Link) Stall() (resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gate := make(chan struct{})
	l.gate = gate
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.gate = nil
		close(gate)
	})
}

// LoseAnswer lets the next request that writes take effect, and breaks the connection in
// place of its answer.
func (l *Link) LoseAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose = true
}

var (
	errCut  = errors.New("zkserver: the link is cut")
	errLost = errors.New("zkserver: the answer was lost on the way")
)

// Dial makes a connection over the link.
func (l *Link) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	raw, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		raw.Close()
		return nil, errCut
	}
	c := &conn{Conn: raw, l: l, closed: make(chan struct{})}
	l.open[c] = struct{}{}
	return c, nil
}

// conn is a connection over a link.
type conn struct {
	net.Conn
	l      *Link
	once   sync.Once
	closed chan struct{}

	lost  atomic.Int32 // the number of the request whose answer is to be lost, 0 for none
	frame []byte       // what was read and not yet handed out; used by the reader alone
}

// Write passes one request on: the client writes each by itself.
func (c *conn) Write(b []byte) (int, error) {
	c.pass()
	if writes(b) && c.l.loses() {
		c.lost.Store(int32(binary.BigEndian.Uint32(b[4:])))
	}
	return c.Conn.Write(b)
}

// A request is its length, its number, and what it is.
func writes(request []byte) bool {
	if len(request) < 12 {
		return false
	}
	switch int32(binary.BigEndian.Uint32(request[8:])) {
	case 1, 2, 5, 14, 19: // create, delete, setData, multi, createContainer
		return binary.BigEndian.Uint32(request[4:]) != 0 // the handshake has no number
	}
	return false
}

func (l *Link) loses() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.lose
	l.lose = false
	return lost
}

// Read hands out whole answers only, so that one of them can be lost.
func (c *conn) Read(b []byte) (int, error) {
	if len(c.frame) == 0 {
		frame, err := readFrame(c.Conn)
		if err != nil {
			return 0, err
		}
		if lost := c.lost.Load(); lost != 0 && len(frame) >= 4 && int32(binary.BigEndian.Uint32(frame)) == lost {
			c.Close()
			return 0, errLost
		}
		c.frame = append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
	}
	c.pass()
	n := copy(b, c.frame)
	c.frame = c.frame[n:]
	return n, nil
}

// pass waits while the link is stalled.
func (c *conn) pass() {
	for {
		c.l.mu.Lock()
		gate := c.l.gate
		c.l.mu.Unlock()
		if gate == nil {
			return
		}
		select {
		case <-gate:
		case <-c.closed:
			return
		}
	}
}

// Close ends the connection.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.l.mu.Lock()
		defer c.l.mu.Unlock()
		delete(c.l.open, c)
	})
	return c.Conn.Close()
}
