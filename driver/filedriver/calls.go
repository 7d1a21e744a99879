package filedriver

import (
	"context"
	"sync"
)

// calls are those under way on a driver or on a session, which ends them when it ends.
type calls struct {
	mu   sync.Mutex
	over error // why none may begin any more
	live map[*call]struct{}
	gone sync.WaitGroup
}

// call is one call. Its context ends with the caller's, and with what it is a call of.
type call struct {
	context.Context //nolint:containedctx // a call is a context, with what belongs to it
	cancel          context.CancelCauseFunc
	of              *calls
}

// begin starts a call, to be ended by its done.
func (c *calls) begin(ctx context.Context) (*call, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != nil {
		return nil, c.over
	}
	if c.live == nil {
		c.live = map[*call]struct{}{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	k := &call{Context: ctx, cancel: cancel, of: c}
	c.live[k] = struct{}{}
	c.gone.Add(1)
	return k, nil
}

func (k *call) done() {
	k.cancel(nil)
	k.of.mu.Lock()
	delete(k.of.live, k)
	k.of.mu.Unlock()
	k.of.gone.Done()
}

// end ends all calls, and has later ones answer why. Only the first reason counts. It
// does not wait.
func (c *calls) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over != nil {
		return
	}
	c.over = why
	for k := range c.live {
		k.cancel(why)
	}
}

// ended returns the reason, or nil.
func (c *calls) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// wait returns when no call is left. It is called after end.
func (c *calls) wait() { c.gone.Wait() }
