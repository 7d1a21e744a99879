package holdgate

import (
	"context"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// lateClose bounds the farewell of a session that was opened while the client closed.
const lateClose = time.Second

// opening is an Open under way, shared by all who need a session.
type opening struct {
	done    chan struct{}
	session *session
	err     error
}

// session returns the live session, or opens one. A caller may give up; the Open
// goes on for the others.
func (c *Client) session(ctx context.Context) (*session, error) {
	if s := c.live.Load(); s != nil {
		if s.believed() {
			return s, nil
		}
		c.live.CompareAndSwap(s, nil) // it may have ended before it was published
	}
	o, err := c.join()
	if err != nil {
		return nil, err
	}
	select {
	case <-o.done:
		return o.session, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// join returns the Open under way, or begins one.
func (c *Client) join() (*opening, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if s := c.live.Load(); s != nil {
		o := &opening{done: make(chan struct{}), session: s}
		close(o.done)
		return o, nil
	}
	if c.opening == nil {
		o := &opening{done: make(chan struct{})}
		c.opening = o
		c.tasks.Go(func() { c.open(o) }) // ends within one attempt, or with the client
	}
	return c.opening, nil
}

// open opens one session and publishes the outcome. It gives up after half a TTL at most: an
// answer that comes later leaves little of the trust that it gives.
func (c *Client) open(o *opening) {
	defer close(o.done)
	ctx, stop := c.within(c.ctx, min(c.opts.TTL/2, attemptLimit))
	defer stop()
	sent := c.clock.Now() // before the request is sent (I3)
	drv, err := c.drv.Open(ctx, driver.SessionOptions{TTL: c.opts.TTL, Owner: c.opts.Owner})
	if err == nil {
		o.session = newSession(c, drv, sent)
	} else {
		o.err = fmt.Errorf("open a session: %w", err)
	}
	if !c.opened(o) {
		// Close came first, and does not know this session. What does not reach the
		// store now expires there.
		o.session.end(ErrClosed)
		late, stop := c.within(context.WithoutCancel(ctx), lateClose)
		defer stop()
		_ = o.session.close(late)
		o.session, o.err = nil, ErrClosed
		return
	}
	if err == nil {
		c.emit(Event{Type: EventSessionOpened, Session: drv.ID(), Took: c.clock.Now() - sent})
	}
}

// opened makes the outcome the client's own. It reports false for a session that came
// too late.
func (c *Client) opened(o *opening) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening = nil
	if o.session == nil {
		return true
	}
	if c.closed {
		return false
	}
	if !o.session.forgotten { // it may have ended already, and be closed
		c.sessions[o.session] = struct{}{}
	}
	c.live.Store(o.session)
	c.tasks.Go(o.session.keep)      // both end with the session
	c.tasks.Go(o.session.reconcile) //
	return true
}
