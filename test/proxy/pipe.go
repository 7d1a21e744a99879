package proxy

import (
	"errors"
	"io"
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
	// ended is closed, by direction, when its sender says no more.
	ended [2]chan struct{}
	dead  atomic.Bool // nothing goes through any more, and nobody is told

	wire Wire
	// eaten is one more than the ID of the request whose answer is to be lost, 0 when there
	// is none.
	eaten atomic.Uint64
}

func newPipe(p *Proxy, client, server net.Conn) *pipe {
	c := &pipe{proxy: p, client: client, server: server, closed: make(chan struct{}), wire: p.protocol()}
	for d := range c.ended {
		c.ended[d] = make(chan struct{})
	}
	return c
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
	defer close(c.ended[d])
	for {
		buf := make([]byte, 4<<10)
		n, err := from.Read(buf)
		if err != nil || c.loses(buf[:n], d) {
			if !errors.Is(err, io.EOF) {
				c.close()
			}
			return // what is on the way still arrives
		}
		select {
		case line <- piece{buf[:n], time.Now()}:
		case <-c.closed:
			return
		}
	}
}

// send lets arrive what is on the way, when its time has come, and then the end.
func (c *pipe) send(to net.Conn, line <-chan piece, d Direction) {
	for p := range line {
		if !c.wait(d, p.arrived) {
			c.close()
			return
		}
		if _, err := to.Write(p.bytes); err != nil {
			c.close()
			return
		}
	}
	if half, ok := to.(*net.TCPConn); !ok || half.CloseWrite() != nil {
		c.close()
	}
}

// loses reports whether what was read is the answer to be eaten, or notes which one will
// be.
func (c *pipe) loses(b []byte, d Direction) bool {
	if d == Requests {
		for _, id := range c.wire.Requests(b) {
			if c.eaten.Load() == 0 && c.proxy.eats() {
				c.eaten.Store(id + 1)
			}
		}
		return false
	}
	for _, a := range c.wire.Answers(b) {
		switch {
		case c.eaten.Load() != a.ID+1:
		case a.Void:
			c.eaten.Store(0)
			c.proxy.EatAnswer() // that of the next one, then
		default:
			return true
		}
	}
	return false
}

// wait returns when something that arrived at a moment may go on. It reports false when it
// never does: the connection was closed meanwhile, or its sender is gone and the gate is shut.
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
	if c.dead.Load() {
		select {
		case <-c.ended[Requests]:
		case <-c.closed:
		}
		return false
	}
	// The last look is at the gate: nothing slips through while it is shut.
	for {
		gate, _ := c.proxy.wait(d)
		if gate == nil {
			return true
		}
		select {
		case <-gate:
		case <-c.ended[d]:
			return false
		case <-c.closed:
			return false
		}
	}
}
