package simulation_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// simPatience is a context that ends with the process, or after a time on its clock. Whoever
// watches it is told before anybody else can see that. A context by itself ends its children
// in an order of its own, another one each time, and the history would differ by that.
type simPatience struct {
	context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	watchers []*simCall
}

// errImpatient is why a worker gives up.
var errImpatient = errors.New("the worker gave up")

// within returns a context that ends with the process, or after d on its clock.
func (p *simProcess) within(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(p.ctx)
	patience := &simPatience{Context: ctx, cancel: cancel}
	stop := p.clock.AfterFunc(d, func() { patience.end(errImpatient) })
	return patience, func() {
		stop()
		patience.end(nil)
	}
}

// end ends the context: its watchers come first.
func (p *simPatience) end(cause error) {
	p.mu.Lock()
	watchers := p.watchers
	p.watchers = nil
	p.mu.Unlock()
	for _, c := range watchers {
		c.record(history.GiveUp, "")
	}
	p.cancel(cause)
}

// watch notes it if ctx ends before the call under way has returned, which answered tells.
func (c *simCall) watch(ctx context.Context) {
	p, ok := ctx.(*simPatience)
	switch {
	case !ok:
		return // it ends with the process
	case ctx.Err() != nil:
		c.record(history.GiveUp, "")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watchers = append(p.watchers, c)
	c.answered = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.watchers = slices.DeleteFunc(p.watchers, func(other *simCall) bool { return other == c })
	}
}
