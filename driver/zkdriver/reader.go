package zkdriver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// reader is the handle's own connection, for what belongs to no session of a caller. It
// is made on first use, and anew when its ZooKeeper session has expired.
type reader struct {
	d *Driver

	mu sync.Mutex
	c  *conn
}

// readerTTL is how long its session outlives a connection. Nothing lives by it.
const readerTTL = 10 * time.Second

func (r *reader) handle() *Driver                              { return r.d }
func (r *reader) over() <-chan struct{}                        { return r.d.ctx.Done() }
func (r *reader) ended() error                                 { return r.d.closed() }
func (r *reader) usable(ctx context.Context) error             { return usable(ctx, r) }
func (r *reader) explain(ctx context.Context, err error) error { return explain(ctx, r, notLost(err)) }

// notLost hides that the reader's own session is gone: it is no session of the caller.
func notLost(err error) error {
	if oneOf(err, driver.ErrSessionLost) {
		return fmt.Errorf("%w: %v", driver.ErrUnavailable, err) //nolint:errorlint // an error is of one kind
	}
	return err
}

// conn returns the connection once it is there.
func (r *reader) conn(ctx context.Context) (*conn, error) {
	c, err := r.current()
	if err != nil {
		return nil, err
	}
	if err := c.ready(ctx); err != nil {
		return nil, notLost(err)
	}
	return c, nil
}

func (r *reader) current() (*conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.c != nil && r.c.ctx.Err() == nil {
		return r.c, nil
	}
	c, err := r.d.connect(readerTTL)
	if err != nil {
		return nil, err
	}
	r.c = c
	return c, nil
}
