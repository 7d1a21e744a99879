package holdgate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"
)

// Hold is one grant of a lock. All its methods may be called by any goroutine.
//
// It ends by Release, or by loss. It is lost when the session of its client could not be
// renewed in time, when its place was removed from the store, or when somebody
// evicted it. Then the context ends before the store can grant the lock to
// another, early enough by a guard of TTL/20 and at least 100 ms. A process that
// is stopped in between learns of it only when it goes on; what it does to a
// resource in that moment is what the fencing token is for.
type Hold struct {
	place *ownPlace
	// Who else has to do with the place: with neither it is this hold's alone.
	line    *localLine // passes it on
	readers *readers   // share it

	token Token
	since time.Duration
	from  context.Context //nolint:containedctx // only for its values, and for ErrDeadlock
	// others are the holds of the other names of LockAll, set before the caller has this one.
	others []*Hold

	mu       sync.Mutex
	nest     *nest // not nil once the lock was taken again inside this hold
	err      error // why it ended
	released bool
	ctx      context.Context //nolint:containedctx // the one that is part of the API
	onEnd    []context.CancelCauseFunc
}

// Name returns the name of the lock; of several that are held together, the first in order.
func (h *Hold) Name() string { return h.place.claim.Line }

// PlaceID returns the ID of the place that the hold lives by.
func (h *Hold) PlaceID() string { return h.place.claim.ID }

// Token returns the fencing token of this grant, or 0 when the hold is not held any
// more or the store gives no tokens. It fences only if the hold is Exclusive. Of several
// names that are held together it is that of the first: TokenFor has the others.
func (h *Hold) Token() Token {
	if h.Err() != nil {
		return 0
	}
	return h.token
}

// TrustedUntil returns until when the hold may be believed if no further renewal
// succeeds: the context ends then. It is zero when the hold has ended, and the end of
// the year 9998 where the store does not expire sessions by time.
func (h *Hold) TrustedUntil() time.Time {
	if h.Err() != nil {
		return time.Time{}
	}
	by := time.Duration(h.place.session.tellBy.Load())
	if by == forever {
		return time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC) // the last year that JSON takes
	}
	return h.place.session.client.wall(by)
}

// Err returns nil while the lock is held. It asks no one, and does not wait for a
// timer: after a pause of the process it tells at once. Afterwards it is a
// *LostError, ErrNotHeld after a release, or ErrClosed.
func (h *Hold) Err() error {
	h.endWithSession()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// endWithSession ends the hold if its session may not be believed. Whoever found that
// out first tells one hold after the other, and may not have come to this one yet.
func (h *Hold) endWithSession() {
	if s := h.place.session; !s.believed() {
		h.end(s.whyEnded(h.place))
	}
	for _, other := range h.others {
		other.endWithSession()
	}
}

// Context returns a context that ends when the hold does; context.Cause tells why. It
// has the values of the context that the lock was taken with, but not its end: that
// bounded only the wait. A Lock of the same name with it answers ErrDeadlock.
func (h *Hold) Context() context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx == nil {
		h.ctx = h.boundLocked(context.WithoutCancel(h.from))
	}
	return h.ctx
}

// Done is closed when the hold ends.
func (h *Hold) Done() <-chan struct{} { return h.Context().Done() }

// bound returns a context under ctx that ends with the hold.
func (h *Hold) bound(ctx context.Context) context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.boundLocked(ctx)
}

// boundLocked is bound for who has the mutex.
func (h *Hold) boundLocked(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, holdKey{}, h))
	h.onEnd = append(h.onEnd, cancel)
	if h.err != nil {
		cancel(h.err)
	}
	return ctx
}

// Verify asks the store whether the hold still stands. It answers ErrLost when not,
// and then the hold has ended; any other error says nothing about the hold.
func (h *Hold) Verify(ctx context.Context) error {
	if err := h.Err(); err != nil {
		return err
	}
	p := h.place
	line, err := p.session.client.line(ctx, h.Name())
	if err != nil {
		return fmt.Errorf("verify %q: %w", h.Name(), err)
	}
	if line.Find(p.claim.ID) < 0 && p.session.stands(p) {
		p.removed()
	}
	for _, other := range h.others {
		if err = other.Verify(ctx); err != nil && h.Err() == nil {
			return err
		}
	}
	return h.Err()
}

// Release gives the lock back, and returns when the store has confirmed it or
// another goroutine of this client was given the lock. It answers ErrLost when the
// hold had been lost, ErrNotHeld when it had been released.
//
// The lock is released whatever happens to ctx: when ctx ends before the store has
// answered, or the store refuses, the release goes on in the background until it is
// done or the session has ended, and the error says so. While the store cannot be
// reached Release waits for that as long as ctx allows.
func (h *Hold) Release(ctx context.Context) error {
	lost, err := h.finish()
	if err != nil {
		return err
	}
	return h.giveBack(ctx, lost)
}

// ReleaseAsync gives the lock back without waiting for the store: that is told in the
// background, and again until it answers or the session has ended. It answers ErrLost
// when the hold had been lost, ErrNotHeld when it had been released. When this client
// locks the same name again before the store was told, both become one step there.
func (h *Hold) ReleaseAsync() error {
	c := h.place.session.client
	c.lines.stay(h.line)
	lost, err := h.finish()
	if err != nil {
		c.lines.part(h.line)
		return err
	}
	departs := lost == nil && h.line == nil && h.readers == nil && len(h.others) == 0 && h.shared() == nil
	if departs {
		c.departures.add(h)
	}
	if !c.task(func() { // ends with the answer, or with the client
		defer c.lines.part(h.line)
		if !departs || c.departures.remove(h) {
			_ = h.giveBack(c.ctx, lost) // nobody waits for it
		}
	}) {
		c.lines.part(h.line) // closing gives back everything
	}
	return lost
}

// lateLoss is why the place was gone when it was to be given back.
func (h *Hold) lateLoss(err error) error {
	if ended := h.place.session.whyEnded(h.place); ended != nil {
		return ended
	}
	lost := h.place.loss(LostRemoved)
	lost.Err = err
	return lost
}

// finish ends the hold for its caller. It returns why it had been lost before, or
// ErrNotHeld for a second release.
func (h *Hold) finish() (lost, err error) {
	h.endWithSession()
	h.mu.Lock()
	if h.released {
		h.mu.Unlock()
		return nil, ErrNotHeld
	}
	h.released = true
	lost = h.err
	h.mu.Unlock()
	if c := h.place.session.client; c.opts.Linger > 0 {
		c.lines.stay(h.line) // which may keep the place: until giveBackOne is done
	}
	h.end(ErrNotHeld)
	return lost, nil
}

// giveBack leaves the place, or passes it on. It returns what the releaser is told, and
// tells the observer, unless both know of a loss already.
func (h *Hold) giveBack(ctx context.Context, lost error) error {
	if len(h.others) > 0 {
		return h.giveBackAll(ctx, lost)
	}
	return h.giveBackOne(ctx, lost)
}

// giveBackOne is giveBack for one name.
func (h *Hold) giveBackOne(ctx context.Context, lost error) error {
	if c := h.place.session.client; c.opts.Linger > 0 {
		defer c.lines.part(h.line)
	}
	if n := h.shared(); n != nil {
		return n.giveBack(ctx, h, lost)
	}
	var err error
	switch {
	case h.line != nil:
		err = h.line.release(ctx, h)
	case h.readers != nil:
		err = h.readers.release(ctx, h)
	default:
		err = h.place.leave(ctx)
	}
	if lost != nil {
		return lost
	}
	return h.leaves(err)
}

// leaves tells the observer how the place was given back, and returns what the releaser
// is told.
func (h *Hold) leaves(err error) error {
	kind := EventReleased
	switch {
	case errors.Is(err, errRemoved), errors.Is(err, errSessionOver):
		kind, err = EventLost, h.lateLoss(err)
	case err != nil:
		err = fmt.Errorf("release %q: %w", h.Name(), err)
	}
	h.emit(kind, err)
	return err
}

// emit tells the observer how the hold ended.
func (h *Hold) emit(kind EventType, err error) {
	s := h.place.session
	if !s.client.observed() {
		return
	}
	s.client.emit(Event{
		Type: kind, Session: s.drv.ID(), Name: h.Name(),
		PlaceID: h.PlaceID(), Token: h.token, Took: s.client.clock.Now() - h.since, Err: err,
	})
}

// end tells everyone that the hold has ended. Only the first cause counts.
func (h *Hold) end(cause error) {
	h.mu.Lock()
	if h.err != nil {
		h.mu.Unlock()
		return
	}
	h.err = cause
	onEnd, nested := h.onEnd, h.nest != nil
	h.onEnd = nil
	h.mu.Unlock()
	for _, cancel := range onEnd {
		cancel(cause)
	}
	h.place.session.client.lines.part(h.line)
	if h.readers != nil && errors.Is(cause, ErrLost) {
		h.readers.lost(h.place)
	}
	switch {
	case nested: // the grant tells that itself, once
	case errors.Is(cause, ErrLost):
		h.emit(EventLost, cause)
	case errors.Is(cause, ErrClosed): // what is released tells it when the store has answered
		h.emit(EventReleased, cause)
	}
}

// holdKey finds, in a context, the hold that it belongs to.
type holdKey struct{}

// holdsOf yields the holds that ctx belongs to, the innermost first.
func holdsOf(ctx context.Context) iter.Seq[*Hold] {
	return func(yield func(*Hold) bool) {
		h, _ := ctx.Value(holdKey{}).(*Hold)
		for ; h != nil; h, _ = h.from.Value(holdKey{}).(*Hold) {
			if !yield(h) {
				return
			}
		}
	}
}

// heldBy returns the hold of this name and client that ctx belongs to, if it is
// still held.
func heldBy(ctx context.Context, c *Client, name string) *Hold {
	for h := range holdsOf(ctx) {
		if h.place.session.client != c {
			continue
		}
		if one := h.of(name); one != nil && one.Err() == nil {
			return one
		}
	}
	return nil
}
