package proxy

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// pipe is one connection through a proxy.
type pipe struct {
	proxy          *Proxy
	client, server net.Conn
	once           sync.Once
	closed         chan struct{}

	// eaten is the HTTP/2 stream whose answer is to be lost, 0 when there is none.
	eaten atomic.Uint32
}

func (c *pipe) close() {
	c.once.Do(func() {
		close(c.closed)
		_ = c.client.Close()
		_ = c.server.Close()
	})
}

// pass copies one way, until either end is closed.
func (c *pipe) pass(to, from net.Conn, d Direction) {
	defer c.close()
	frames := newFrames(d == Requests)
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if c.loses(frames.read(buf[:n]), d) || !c.wait(d) {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// loses reports whether what was read is the answer to be eaten, or notes which one will
// be.
func (c *pipe) loses(seen []frame, d Direction) bool {
	for _, f := range seen {
		switch {
		case d == Answers && f.stream != 0 && f.stream == c.eaten.Load():
			return true
		case d == Requests && f.ends && c.eaten.Load() == 0 && c.proxy.eats():
			c.eaten.Store(f.stream)
		}
	}
	return false
}

// wait returns when something may go through. It reports false when the connection was
// closed meanwhile.
func (c *pipe) wait(d Direction) bool {
	_, delay := c.proxy.wait(d)
	if delay > 0 {
		late := time.NewTimer(delay)
		defer late.Stop()
		select {
		case <-late.C:
		case <-c.closed:
			return false
		}
	}
	// The last look is at the gate: nothing slips through while it is shut.
	for {
		gate, _ := c.proxy.wait(d)
		if gate == nil {
			return true
		}
		select {
		case <-gate:
		case <-c.closed:
			return false
		}
	}
}
