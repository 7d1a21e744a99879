package redisdriver

import (
	"errors"
	"net"
	"sync"

	"github.com/redis/go-redis/v9"
)

// connections are what requests go by. Once the server has not answered in time they may
// all be dead, without anybody having been told, and each would cost its caller the same
// patience again. So the next requests go by new ones.
type connections struct {
	connect func() redis.UniversalClient

	mu      sync.Mutex
	current *generation
	closed  bool
	old     map[*generation]struct{} // still in use
}

// generation is a client with its connections.
type generation struct {
	client redis.UniversalClient
	users  int
}

func newConnections(connect func() redis.UniversalClient) *connections {
	return &connections{
		connect: connect,
		current: &generation{client: connect()},
		old:     make(map[*generation]struct{}),
	}
}

// use returns the newest. done says what came of it.
func (c *connections) use() *generation {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current.users++
	return c.current
}

func (c *connections) done(g *generation, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g.users--
	if silent && g == c.current && !c.closed {
		c.old[g] = struct{}{}
		c.current = &generation{client: c.connect()}
	}
	if _, old := c.old[g]; old && g.users == 0 {
		delete(c.old, g)
		_ = g.client.Close()
	}
}

// close ends what is under way.
func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for g := range c.old {
		_ = g.client.Close()
	}
	_ = c.current.client.Close()
}

// silent reports whether an error says that no answer came in time.
func silent(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
