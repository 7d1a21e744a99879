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

// piece is something on its way.
type piece struct {
	bytes   []byte
	arrived time.Time
}

// inFlight is how many pieces may be on their way: a delay makes a connection late, but
// hardly narrower.
const inFlight = 1024

// pass copies one way, until either end is closed.
func (c *pipe) pass(to, from net.Conn, d Direction) {
	line := make(chan piece, inFlight)
	var leaving sync.WaitGroup
	leaving.Go(func() { c.send(to, line, d) }) // ends with the line, or the connection
	c.receive(from, line, d)
	close(line)
	leaving.Wait()
}

// receive puts on the way what comes in.
func (c *pipe) receive(from net.Conn, line chan<- piece, d Direction) {
	defer c.close()
	frames := newFrames(d == Requests)
	for {
		buf := make([]byte, 4<<10)
		n, err := from.Read(buf)
		if err != nil || c.loses(frames.read(buf[:n]), d) {
			return
		}
		select {
		case line <- piece{buf[:n], time.Now()}:
		case <-c.closed:
			return
		}
	}
}

// send lets arrive what is on the way, when its time has come.
func (c *pipe) send(to net.Conn, line <-chan piece, d Direction) {
	defer c.close()
	for p := range line {
		if !c.wait(d, p.arrived) {
			return
		}
		if _, err := to.Write(p.bytes); err != nil {
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

// wait returns when something that arrived at a moment may go on. It reports false when
// the connection was closed meanwhile.
func (c *pipe) wait(d Direction, arrived time.Time) bool {
	_, delay := c.proxy.wait(d)
	if late := time.Until(arrived.Add(delay)); delay > 0 && late > 0 {
		timer := time.NewTimer(late)
		defer timer.Stop()
		select {
		case <-timer.C:
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
