package holdgate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// attemptLimit bounds one attempt, however long the TTL: no store that is well takes
// that long, and whoever waits for a packet that was lost must not wait for a share of
// an hour.
const attemptLimit = 10 * time.Second

// attemptTime is how long one attempt may take: short enough that, within a TTL,
// others can follow it.
func attemptTime(ttl time.Duration) time.Duration { return min(ttl/4, attemptLimit) }

// errNoAnswer ends an attempt that the store did not answer in time.
var errNoAnswer = fmt.Errorf("no answer in time: %w", ErrUnavailable)

// patience bounds how long an operation is retried while the store does not answer.
type patience struct {
	client   *Client
	limit    time.Duration
	since    time.Duration // when the operation began
	failures int
}

// tryLimit is how long a try waits for a store that does not answer.
func (c *Client) tryLimit() time.Duration { return attemptTime(c.opts.TTL) }

// within returns a context that ends after a time on the client's clock: a request
// that hangs must not use up the time in which another could succeed.
func (c *Client) within(ctx context.Context, timeout time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := c.clock.AfterFunc(timeout, func() { cancel(errNoAnswer) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// patience returns how an operation that begins now is retried, for at most limit.
func (c *Client) patience(limit time.Duration) patience {
	return patience{client: c, limit: limit, since: c.clock.Now()}
}

// startAnew forgets the failures so far: they say nothing about the store.
func (p *patience) startAnew() { p.since, p.failures = p.client.clock.Now(), 0 }

// pause waits before the next attempt, or returns the error to give up with: at once when
// the client is closed. That a session ended is no reason to give up: it says nothing about
// the store, as when this process was stopped for long. The next Open will tell.
func (p *patience) pause(ctx context.Context, err error) error {
	if p.client.clock.Now()-p.since >= p.limit && !errors.Is(err, errSessionOver) {
		return err
	}
	p.failures++
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(p.client.ctx, func() { stop(ErrClosed) })()
	if cause := sleep(ctx, p.client.clock, p.client.backoff(p.failures)); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return nil
}

// backoff is how long to wait after so many failures: doubling from 10 ms to a
// second, give or take a half, so that a fleet does not return in step.
func (c *Client) backoff(failures int) time.Duration {
	d := min(10*time.Millisecond<<min(failures-1, 10), time.Second)
	return d/2 + c.random.below(d)
}

// transient reports whether an operation may succeed when it is tried again.
func transient(err error) bool {
	return errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrUnknownOutcome)
}

// definite reports whether an Enter that answered err left no trace.
func definite(err error) bool {
	for _, kind := range []error{
		driver.ErrBusy, driver.ErrMismatch, driver.ErrTooLarge, driver.ErrInvalid,
		driver.ErrUnsupported, driver.ErrDenied,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
