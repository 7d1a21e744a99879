package simulation_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/internal/history"
)

// simHold is a lock that a worker was granted.
type simHold struct {
	*simCall
	ctx   context.Context // what the work goes by: it ends with the hold
	lock  *holdgate.Hold
	token uint64

	mu    sync.Mutex
	ended bool // the worker does not believe in it any more
}

// granted notes a grant, and sees to it that its end is noted too. It returns nil if the
// hold had ended before the worker had a look at it.
func (c *simCall) granted(ctx context.Context, lock *holdgate.Hold) *simHold {
	h := &simHold{simCall: c, ctx: ctx, lock: lock, token: uint64(lock.TokenFor(c.name))}
	if err := lock.Err(); err != nil {
		c.record(history.Refuse, "lost at once: "+why(err))
		return nil
	}
	c.proc.record(history.Event{
		Kind: history.Grant, Hold: c.id, Name: c.name, Place: lock.PlaceIDFor(c.name), Token: h.token,
		Units: c.units, Capacity: c.capacity, Why: c.together,
	})
	c.proc.mu.Lock()
	c.proc.holds = append(c.proc.holds, h)
	c.proc.mu.Unlock()
	context.AfterFunc(lock.Context(), h.lost)
	return h
}

// lost notes that the hold has ended, unless the worker ended it itself.
func (h *simHold) lost() {
	var lost *holdgate.LostError
	cause := context.Cause(h.lock.Context())
	if !errors.As(cause, &lost) && !errors.Is(cause, holdgate.ErrClosed) {
		return // it was released or, in Do, the worker only gave up
	}
	if h.ctx.Err() == nil {
		h.object("contract", "the hold has ended by %v, the context of Do has not", cause)
	}
	if h.end() {
		h.record(history.Lost, h.why(cause))
	}
}

// release notes that the worker is about to release the lock.
func (h *simHold) release() {
	h.lost()
	h.end()
	h.record(history.Release, "")
}

// end ends the worker's belief, once.
func (h *simHold) end() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return false
	}
	h.ended = true
	p := h.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = slices.DeleteFunc(p.holds, func(other *simHold) bool { return other == h })
	return true
}

// shown asks the hold whether it is held, and notes it if so.
func (h *simHold) shown() bool {
	err := h.lock.Err()
	if err == nil {
		h.record(history.Held, "")
	}
	return err == nil
}

// work holds the lock for a while.
func (h *simHold) work() {
	w, ttl := h.proc.world, h.proc.world.plan.ttl
	length := h.dice.about(simLeast, 5*time.Millisecond)
	if w.stormy() && h.dice.chance(w.plan.habits.longHold) {
		length = h.dice.about(5*time.Millisecond, 3*ttl)
	}
	for step := length/3 + 1; length > 0 && h.ctx.Err() == nil; length -= step {
		if h.shown() && h.lock.Exclusive() {
			h.write()
		}
		if h.dice.chance(w.plan.habits.lower) {
			h.change()
		}
		if h.dice.chance(w.plan.habits.verify) {
			h.verify()
		}
		if w.stormy() && !h.pass(step) {
			h.lost()
			h.proc.sleep(h.dice.within(0, history.Guard(ttl))) // to stop what it does
			return
		}
	}
}

// pass lets time pass, until the hold ends or the storm does.
func (h *simHold) pass(d time.Duration) bool {
	over := make(chan struct{})
	defer h.proc.clock.AfterFunc(d, func() { close(over) })()
	select {
	case <-over:
	case <-h.proc.world.calm:
	case <-h.ctx.Done():
		return false
	}
	return true
}

// write sends a write to the resource. It arrives later, whatever happens to the
// sender, and may overtake others.
func (h *simHold) write() {
	w := h.proc.world
	late := h.dice.about(simLeast, simMost)
	if w.stormy() && h.dice.chance(0.05) {
		late = h.dice.about(simMost, 2*w.plan.ttl)
	}
	time.AfterFunc(late, func() { w.reg.write(h.name, h.id, h.token) })
}

// verify asks the store, once. The answer may be an error, but never that a hold
// stands which has ended.
func (h *simHold) verify() {
	h.proc.count("verified")
	ctx, stop := h.proc.within(h.proc.world.plan.ttl / 4)
	defer stop()
	if err := h.lock.Verify(ctx); err == nil && h.lock.Err() != nil {
		h.object("contract", "Verify answered nil for a hold that has ended: %v", h.lock.Err())
	}
}

// simRegister is what the locks protect: a resource that remembers the largest token
// it has seen of each name, and refuses smaller ones.
type simRegister struct {
	world *simWorld

	mu     sync.Mutex
	newest map[string]uint64
}

func (r *simRegister) write(name, hold string, token uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.newest == nil {
		r.newest = make(map[string]uint64)
	}
	kind := history.Reject
	if token >= r.newest[name] {
		r.newest[name] = token
		kind = history.Accept
	}
	r.world.log.Add(history.Event{At: r.world.now(), Kind: kind, Name: name, Hold: hold, Token: token})
}
