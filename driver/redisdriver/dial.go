package redisdriver

import (
	"context"
	"net"
	"syscall"
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
}

func (c *plainConn) SyscallConn() (syscall.RawConn, error) { return c.plain.SyscallConn() }
