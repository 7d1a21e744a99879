package holdgate

import (
	"context"
	"maps"
	"sync"
)

// Reentrant is a mutex that may be locked again by who holds it, told by the context. It is a
// small value: make one wherever it is needed. It is the same lock as the Mutex of its name.
//
// Who holds is told by nothing but the context: a Lock with the context of a hold of the
// name, or one that was made from it, is granted at once, by the same token and without
// asking the store. With any other context it waits, also in the same goroutine.
type Reentrant struct{ mutex Mutex }

// Reentrant returns the mutex of this name, to be locked again: UTF-8 of 1 to 512 bytes
// without NUL.
func (c *Client) Reentrant(name string) Reentrant { return Reentrant{c.Mutex(name)} }

// Name returns the name of the lock.
func (r Reentrant) Name() string { return r.mutex.name }

// Lock returns a hold at once when ctx belongs to a hold of the name, of whatever kind and by
// whomever it was taken; else it is [Mutex.Lock]. Each Lock returns a hold of its own, and
// the lock is released when all of them were, in any order. A loss ends all of them.
func (r Reentrant) Lock(ctx context.Context) (*Hold, error) {
	if h, err := r.nested(ctx); h != nil || err != nil {
		return h, err
	}
	return r.mutex.Lock(ctx)
}

// TryLock is Lock without waiting in line, as [Mutex.TryLock] is.
func (r Reentrant) TryLock(ctx context.Context) (*Hold, error) {
	if h, err := r.nested(ctx); h != nil || err != nil {
		return h, err
	}
	return r.mutex.TryLock(ctx)
}

// nested returns a hold inside the one that ctx belongs to, nil when there is none.
func (r Reentrant) nested(ctx context.Context) (*Hold, error) {
	outer := heldBy(ctx, r.mutex.client, r.mutex.name)
	if outer == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, notAcquired(r.mutex.name, context.Cause(ctx))
	}
	return outer.again(ctx), nil
}

// nest is a grant that has been taken more than once. Its base is the hold that the place
// knows; what callers have are shares of it.
type nest struct {
	base *Hold

	mu     sync.Mutex
	ended  error              // why the grant ended, nil while it has not
	shares map[*Hold]struct{} // that are not released
}

// again returns another share of the grant, nil when it has ended.
func (h *Hold) again(ctx context.Context) *Hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil || h.released {
		return nil
	}
	if h.nest == nil {
		h.nest = newNest(h)
	}
	if h.nest == nil {
		return nil
	}
	return h.nest.share(ctx)
}

// newNest makes h the first share of its grant, nil when that has ended. The caller has h.mu.
func newNest(h *Hold) *nest {
	n := &nest{
		base:   &Hold{place: h.place, readers: h.readers, token: h.token, since: h.since, from: h.from},
		shares: map[*Hold]struct{}{h: {}},
	}
	if h.line != nil { // h parts from it when it is released, the grant may last
		c := h.place.session.client
		n.base.line = c.lines.join(c, h.place.claim)
	}
	if !h.place.replace(h, n.base) {
		n.base.end(ErrNotHeld)
		return nil
	}
	n.base.whenEnded(n.end)
	return n
}

// replace makes another hold the one that is told of what becomes of the place.
func (p *ownPlace) replace(from, to *Hold) bool {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.session.places[p.claim.ID] == p && p.holders.replace(from, to)
}

// share returns another share, nil when the grant has ended.
func (n *nest) share(ctx context.Context) *Hold {
	b := n.base
	h := &Hold{place: b.place, nest: n, token: b.token, since: b.place.session.client.clock.Now(), from: ctx}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended != nil {
		return nil
	}
	n.shares[h] = struct{}{}
	return h
}

// end tells all who have a share that the grant has ended.
func (n *nest) end(cause error) {
	n.mu.Lock()
	n.ended = cause
	shares := maps.Clone(n.shares)
	n.mu.Unlock()
	for h := range shares {
		h.end(cause)
	}
}

// drop takes a share out, and reports whether it was the last one.
func (n *nest) drop(h *Hold) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.shares, h)
	return len(n.shares) == 0
}

// giveBack releases a share, and with the last one the lock.
func (n *nest) giveBack(ctx context.Context, h *Hold, lost error) error {
	if !n.drop(h) {
		return lost
	}
	gone, err := n.base.finish()
	if err != nil {
		return err
	}
	return n.base.giveBackOne(ctx, gone)
}

// shared returns the nest that the hold is a share of, nil when it is the only one.
func (h *Hold) shared() *nest {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.nest
}
