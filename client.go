package holdgate

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Client takes locks for one process, or for one part of it that shares its fate:
// all its holds live by one session, and are lost together. It is safe for
// concurrent use.
type Client struct {
	drv      driver.Driver
	features driver.Features
	opts     Options
	clock    driver.Clock
	random   *random
	blank    []byte // what a place that nobody holds yet tells the others

	// ctx ends with the client: what no caller waits for runs on it.
	ctx  context.Context //nolint:containedctx // the client's own lifetime
	stop context.CancelCauseFunc

	live  atomic.Pointer[session] // the session that new places live by
	lines lineTable               // local lines, by name
	reads readTable               // readers who may be joined, by name

	departures departures
	waiters    sync.Pool // of waiters that are not needed any more

	mu       sync.Mutex
	closed   bool
	gone     chan struct{}         // closed when Close is done
	opening  *opening              // the Open under way, if any
	sessions map[*session]struct{} // all that the store may still have
	tasks    sync.WaitGroup        // all goroutines; begun only under mu, while not closed
}

// New returns a client over a driver. It does not touch the store: the session is
// opened when it is first needed. The driver stays the caller's, who closes it after
// the client.
func New(drv driver.Driver, opts *Options) (*Client, error) {
	if drv == nil {
		return nil, fmt.Errorf("%w: a client needs a driver", driver.ErrInvalid)
	}
	features := drv.Features()
	o, err := opts.withDefaults(features)
	if err != nil {
		return nil, err
	}
	clock, ok := drv.(driver.Clock)
	if !ok {
		clock = newSystemClock()
	}
	c := &Client{
		drv:      drv,
		features: features,
		opts:     o,
		clock:    clock,
		random:   newRandom(rand.Reader),
		blank:    note{Reason: o.Reason}.encode(),
		sessions: make(map[*session]struct{}),
		gone:     make(chan struct{}),
	}
	c.ctx, c.stop = context.WithCancelCause(context.Background())
	return c, nil
}

// Features says what the store can and cannot promise.
func (c *Client) Features() driver.Features { return c.features }

// Driver returns the handle on the store that the client was made with: for what a store can do
// beside lines ([driver.KV]).
func (c *Client) Driver() driver.Driver { return c.drv }

// Close gives back everything that this client holds or waits for, and returns when
// its goroutines have ended. Callers that wait get ErrClosed, and the contexts of
// holds end with it. If the store was not told when ctx ends, or after half a minute, it
// frees the rest one TTL later, and the error says so. A second Close only waits for the
// first.
func (c *Client) Close(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.closedBy(ctx)
	}
	c.closed = true
	defer close(c.gone)
	sessions := make([]*session, 0, len(c.sessions))
	for s := range c.sessions {
		sessions = append(sessions, s)
	}
	c.mu.Unlock()

	for _, s := range sessions {
		s.end(ErrClosed)
	}
	c.stop(ErrClosed)
	bounded, done := c.within(ctx, closeLimit)
	defer done()
	var failed error
	for _, s := range sessions {
		if err := s.close(bounded); err != nil {
			failed = fmt.Errorf("close: the store frees what was held %s: %w", s.freed(), err)
		}
	}
	c.tasks.Wait()
	return failed
}

// closedBy waits for the Close that came first.
func (c *Client) closedBy(ctx context.Context) error {
	select {
	case <-c.gone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// closeLimit bounds a Close without a deadline: a few attempts. A process that ends
// shall not be held up for a TTL of an hour.
const closeLimit = 3 * attemptLimit

// task runs f in a goroutine that Close waits for, unless the client is closed. f
// must return soon after the client's context has ended.
func (c *Client) task(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.tasks.Go(f)
	return true
}

// forget drops a session that the store does not have any more.
func (c *Client) forget(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, s)
	s.forgotten = true
}

// wall is a moment of the client's clock as wall time, for people.
func (c *Client) wall(at time.Duration) time.Time {
	return time.Now().Add(at - c.clock.Now()).Round(0)
}
