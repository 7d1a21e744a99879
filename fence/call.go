package fence

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate"
)

// call is one fn of Gate.Do that runs.
type call struct {
	token holdgate.Token
	stop  context.CancelCauseFunc
}

// begin waits until no call of an older token runs, and registers this one. The context
// that it returns ends when a larger token comes.
func (g *Gate) begin(ctx context.Context, p Pass) (context.Context, *call, error) {
	for {
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("fenced call of %q: %w", p.Name, context.Cause(ctx))
		}
		g.mu.Lock()
		e, stale := g.memory.admit(p)
		if stale != nil {
			g.mu.Unlock()
			return nil, nil, g.refuse(stale)
		}
		if !e.occupied() {
			ctx, stop := context.WithCancelCause(ctx)
			c := &call{token: p.Token, stop: stop}
			e.calls[c] = struct{}{}
			g.mu.Unlock()
			return ctx, c, nil
		}
		left := e.changes()
		g.mu.Unlock()
		select {
		case <-left:
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("a call of an older holder of %q has not ended: %w", p.Name, context.Cause(ctx))
		}
	}
}

// end is called when fn returned, or panicked.
func (g *Gate) end(name string, c *call) {
	c.stop(nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.memory.find(name) // there: a name is not forgotten while it has calls
	delete(e.calls, c)
	e.changed()
}

// explain adds why the context of fn ended to what fn answered.
func (c *call) explain(ctx context.Context, err error) error {
	var stale *StaleError
	if errors.As(context.Cause(ctx), &stale) && !errors.Is(err, ErrStale) {
		return errors.Join(stale, err)
	}
	return err
}
