package holdgate

import (
	"context"
	"slices"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// departures are the holds with a place of their own that were released without waiting
// for the store, until it is told. A Lock of the same line that comes before that takes
// the place over: to leave and to enter again are one Swap then, one commit.
type departures struct {
	mu     sync.Mutex
	byLine map[string][]*Hold
}

func (d *departures) add(h *Hold) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byLine == nil {
		d.byLine = make(map[string][]*Hold)
	}
	d.byLine[h.Name()] = append(d.byLine[h.Name()], h)
}

// remove reports whether the hold still departs: nobody has taken its place over.
func (d *departures) remove(h *Hold) bool {
	return d.takeFirst(h.Name(), func(other *Hold) bool { return other == h }) != nil
}

// take returns a hold whose place may become that of the claim, or nil.
func (d *departures) take(claim driver.Claim) *Hold {
	if claim.Try {
		return nil // it joins only where it is granted at once
	}
	return d.takeFirst(claim.Line, func(h *Hold) bool {
		old := h.place.claim
		return old.Kind == claim.Kind && old.Capacity == claim.Capacity
	})
}

func (d *departures) takeFirst(line string, fits func(*Hold) bool) *Hold {
	d.mu.Lock()
	defer d.mu.Unlock()
	holds := d.byLine[line]
	i := slices.IndexFunc(holds, fits)
	if i < 0 {
		return nil
	}
	h := holds[i]
	if holds = slices.Delete(holds, i, i+1); len(holds) == 0 {
		delete(d.byLine, line)
	} else {
		d.byLine[line] = holds
	}
	return h
}

// stepIn puts a new place in a line: where one of this client is about to leave it, by
// swapping the two. After an error there is none.
func (c *Client) stepIn(ctx context.Context, claim driver.Claim) (*ownPlace, error) {
	if h := c.departures.take(claim); h != nil {
		if p, err := c.takeOver(ctx, h, claim); p != nil || err != nil {
			return p, err
		}
	}
	return c.enter(ctx, claim, nil)
}

// takeOver swaps the place of a hold that departs for a new one. It returns neither a
// place nor an error when that one leaves by itself, or is gone. The hold departs also
// when ctx ends: so the swap does not run in the caller.
func (c *Client) takeOver(ctx context.Context, h *Hold, claim driver.Claim) (*ownPlace, error) {
	taken := make(chan *ownPlace)
	if !c.task(func() { // ends with the answer, or with the session
		p, err := h.place.swap(claim)
		_ = h.leaves(err) // nobody waits for it
		select {
		case taken <- p:
		case <-ctx.Done():
			if p != nil {
				p.abandon()
			}
		}
	}) {
		return nil, ErrClosed
	}
	select {
	case p := <-taken:
		return p, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
