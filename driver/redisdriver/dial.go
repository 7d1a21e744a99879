package redisdriver

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// dialer opens a connection.
type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// until closes what a dialer opens when ctx ends: a subscription that greets a server that
// hangs looks at no context. The lane, if it is for one, is told of its connections.
func (dial dialer) until(ctx context.Context, l *lane) dialer {
	return func(within context.Context, network, addr string) (net.Conn, error) {
		raw, err := dial(within, network, addr)
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: raw, lane: l}
		if l != nil {
			l.opened(c)
		}
		c.forget = context.AfterFunc(ctx, func() { _ = raw.Close() })
		if plain, ok := raw.(syscall.Conn); ok {
			return &plainConn{conn: c, plain: plain}, nil
		}
		return c, nil
	}
}

// conn is a connection that somebody else may close.
type conn struct {
	net.Conn
	lane   *lane // or nil
	forget func() bool
}

func (c *conn) Close() error {
	c.forget()
	if c.lane != nil {
		c.lane.closed(c)
	}
	return c.Conn.Close()
}

// plainConn is one that the client may look at to see whether the server has closed it.
type plainConn struct {
	*conn
	plain syscall.Conn
	heard atomic.Int64 // when the server last said something, in nanoseconds
}

func (c *plainConn) Read(b []byte) (int, error) {
	n, err := c.conn.Read(b)
	if err == nil {
		c.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

func (c *plainConn) SyscallConn() (syscall.RawConn, error) {
	raw, err := c.plain.SyscallConn()
	if err == nil && time.Now().UnixNano()-c.heard.Load() < int64(justHeard) {
		return unseen{raw}, nil
	}
	return raw, err
}

// justHeard is for how long after it was heard from a server is not looked at before it is
// asked again: the look costs as much as half of the request.
const justHeard = 100 * time.Millisecond

// unseen is a connection that is not read from: there would be nothing.
type unseen struct{ syscall.RawConn }

func (unseen) Read(func(fd uintptr) bool) error { return nil }
