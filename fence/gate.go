package fence

import (
	"context"
	"fmt"
	"sync"

	"github.com/holdgate/holdgate"
)

// Gate guards a resource that lives in the memory of one process: it remembers the
// largest token of each name, and refuses smaller ones. The zero Gate is ready, and
// remembers every name. All its methods may be called by any goroutine.
//
// What it remembers ends with the process, and is not shared with others. Where the
// resource outlives the process, or several processes serve it, keep the tokens with the
// data: see package sqlfence.
type Gate struct {
	onRefuse func(*StaleError)

	mu     sync.Mutex
	memory memory
}

// GateOptions configure a Gate. Zero values are the defaults.
type GateOptions struct {
	// Names bounds how many names are remembered, at least 2; 0 is no bound. Those that
	// were not shown for longest are forgotten first, half of them at once. No older
	// holder gets in by that: a forgotten name needs a token no smaller than the
	// largest that was forgotten. So a holder that has held since long ago, and comes
	// for the first time in a while, may be refused too (StaleError.Forgotten): set
	// Names well above the number of locks that are held at once.
	Names int
	// OnRefuse is told of each refusal, to count it. It is called on the path of the
	// caller that is refused.
	OnRefuse func(*StaleError)
}

// NewGate returns a gate. Nil options are the defaults.
func NewGate(o *GateOptions) (*Gate, error) {
	g := new(Gate)
	if o == nil {
		return g, nil
	}
	if o.Names != 0 && o.Names < 2 {
		return nil, fmt.Errorf("fence: GateOptions.Names is 0, for no bound, or 2 and more, not %d", o.Names)
	}
	g.onRefuse, g.memory.limit = o.OnRefuse, o.Names
	return g, nil
}

// Check accepts a pass and remembers it, or answers a *StaleError. A token that was
// accepted is accepted again.
//
// It says who may write at this moment, not a moment later. Call it under the mutex
// that guards what is written, or use Do.
func (g *Gate) Check(p Pass) error {
	if err := p.Check(); err != nil {
		return err
	}
	g.mu.Lock()
	_, stale := g.memory.admit(p)
	g.mu.Unlock()
	return g.refuse(stale)
}

// Do calls fn unless the pass is stale. No two calls of fn with different tokens of one
// name overlap: from the moment when a larger token comes, smaller ones are refused, the
// context of those that are still in their fn ends with the *StaleError as its cause, and
// the new one waits until they have returned. Calls with the same token run together.
//
// So fn must not call Do with a larger token of the same name: that would wait for itself.
//
// It answers what fn answered; joined with the *StaleError when that one ended its
// context. When ctx ends while it waits for an older one, fn does not run, and the
// error wraps context.Cause(ctx).
func (g *Gate) Do(ctx context.Context, p Pass, fn func(ctx context.Context) error) error {
	if err := p.Check(); err != nil {
		return err
	}
	ctx, c, err := g.begin(ctx, p)
	if err != nil {
		return err
	}
	defer g.end(p.Name, c)
	if err = fn(ctx); err != nil {
		return c.explain(ctx, err)
	}
	return nil
}

// Newest returns the largest token that was shown for a name, 0 when it knows none.
func (g *Gate) Newest(name string) holdgate.Token {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e := g.memory.find(name); e != nil {
		return e.newest
	}
	return 0
}

// refuse turns a refusal into an error, and counts it.
func (g *Gate) refuse(stale *StaleError) error {
	if stale == nil {
		return nil
	}
	if g.onRefuse != nil {
		g.onRefuse(stale)
	}
	return stale
}
