package redisdriver

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// connections are the lanes that requests go by. Once the server has not answered in time
// they may all be dead, without anybody having been told, and each would cost its caller
// the same patience again. So the next requests go by new ones.
type connections struct {
	connect func(*lane) redis.UniversalClient

	mu         sync.Mutex
	generation int
	free       []*lane // all of this generation
	lanes      map[*lane]struct{}
	closed     bool
}

// lane is a client that one user has at a time, so that its connections can be taken from
// under that user and nobody else.
type lane struct {
	client     redis.UniversalClient
	generation int

	mu    sync.Mutex
	turn  int // counts its users
	conns map[*conn]struct{}
}

func newConnections(connect func(*lane) redis.UniversalClient) *connections {
	return &connections{connect: connect, lanes: make(map[*lane]struct{})}
}

// use returns a lane for its caller alone, until done.
func (c *connections) use() *lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		l := c.free[n-1]
		c.free = c.free[:n-1]
		return l
	}
	l := &lane{generation: c.generation, conns: make(map[*conn]struct{})}
	l.client = c.connect(l)
	c.lanes[l] = struct{}{}
	if c.closed {
		_ = l.client.Close()
	}
	return l
}

// done gives a lane back, and says whether the server was silent.
func (c *connections) done(l *lane, silent bool) {
	l.mu.Lock()
	l.turn++
	l.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if silent && l.generation == c.generation {
		c.generation++
		for _, other := range c.free {
			c.dropLocked(other)
		}
		c.free = nil
	}
	if l.generation == c.generation && !c.closed {
		c.free = append(c.free, l)
		return
	}
	c.dropLocked(l)
}

func (c *connections) dropLocked(l *lane) {
	delete(c.lanes, l)
	_ = l.client.Close()
}

// close ends what is under way.
func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for l := range c.lanes {
		_ = l.client.Close()
	}
}

// interrupter returns what ends the waiting of the lane's present user, and of no later
// one: nothing else makes the client look up from a connection.
func (l *lane) interrupter() func() {
	l.mu.Lock()
	turn := l.turn
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.turn != turn {
			return
		}
		for c := range l.conns {
			_ = c.SetDeadline(time.Unix(1, 0)) // the client sets another for the next user
		}
	}
}

func (l *lane) opened(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
}

func (l *lane) closed(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// silent reports whether one of the errors says that no answer came in time.
func silent(batch []*request) bool {
	return slices.ContainsFunc(batch, func(r *request) bool {
		var timeout net.Error
		return errors.As(r.err, &timeout) && timeout.Timeout()
	})
}
