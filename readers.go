package holdgate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// readers are goroutines of this process that read by one place in the store's line. One
// that comes while the others read joins them without asking the store, for as long and
// as often as a mutex would be passed on (I6): so a writer elsewhere that has come in
// between is passed for no longer than that. Whoever comes later takes another place,
// behind the writer. All who waited for the grant get it at once: a writer behind the place
// waits for them together, whenever each came.
//
// Each has a hold of its own, with its own token. The last to release leaves the place.
type readers struct {
	client *Client
	claim  driver.Claim

	mu     sync.Mutex
	closed bool      // nobody may join any more
	queue  waitQueue // for the place
	driven bool      // somebody works, or has worked, for the place
	place  *ownPlace // once it is granted
	grants int       // given on this place
	first  time.Duration
	stop   func() // ends the wait for the place when nobody waits any more
}

// join returns a hold if the others read, and may be joined. Whether the place can be
// believed is looked at for each one (I2).
func (r *readers) join(ctx context.Context) *Hold {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.place == nil {
		return nil
	}
	bound := r.client.opts.Handoff
	if r.grants < bound.Grants && r.client.clock.Now()-r.first < bound.Time {
		if h, err := r.grantLocked(ctx); err == nil {
			return h
		}
	}
	r.closeLocked()
	return nil
}

// wait gets in the queue for the place. It returns nil when nobody may join any more.
// The first one has somebody work for the place.
func (r *readers) wait(ctx context.Context) *waiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queue.len() >= r.client.opts.Handoff.Grants {
		r.closeLocked()
	}
	if r.closed || r.place != nil {
		return nil
	}
	w := r.client.newWaiter(ctx, false)
	r.queue.pushBack(w)
	if !r.driven {
		r.driven = true
		if !r.client.task(r.drive) { // ends with a grant, or with the last waiter, or with the client
			r.failLocked(ErrClosed)
		}
	}
	return w
}

// await waits for what becomes of w.
func (r *readers) await(ctx context.Context, w *waiter) (*Hold, error) {
	defer r.client.recycle(w)
	select {
	case o := <-w.result:
		return o.hold, o.err
	case <-ctx.Done():
	}
	r.mu.Lock()
	if r.queue.remove(w) {
		if r.queue.empty() && r.stop != nil {
			r.stop()
		}
		r.mu.Unlock()
		return nil, context.Cause(ctx)
	}
	r.mu.Unlock()
	o := <-w.result // it was decided before the context ended
	return o.hold, o.err
}

// drive works until those who wait have a place, or nobody waits.
func (r *readers) drive() {
	for {
		ctx := r.begin()
		if ctx == nil {
			return
		}
		p, err := r.client.acquire(ctx, r.claim)
		if r.settle(p, err) {
			return
		}
	}
}

// begin returns a context that ends when nobody waits any more, nil when nobody does now.
func (r *readers) begin() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queue.empty() {
		r.closeLocked()
		return nil
	}
	ctx, cancel := context.WithCancelCause(r.client.ctx)
	r.stop = func() { cancel(errPassed) }
	return ctx
}

// settle gives the place to all who wait for it, or tells them why there is none. It
// reports whether that was all.
func (r *readers) settle(p *ownPlace, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
	r.stop = nil
	if err == nil {
		err = r.admitLocked(p)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, errPassed), errors.Is(err, errSessionOver), r.queue.empty():
		return false // who still waits, or came just now, gets in line again
	}
	r.failLocked(err)
	return true
}

// admitLocked gives a place that was granted to all who wait. After an error nobody waited
// any more, or it ended just now, and some still wait.
func (r *readers) admitLocked(p *ownPlace) error {
	r.place, r.grants = p, 0
	err := errPassed
	for w := r.queue.front(); w != nil; w = r.queue.front() {
		var h *Hold
		if h, err = r.grantLocked(w.ctx); err != nil {
			break
		}
		r.queue.remove(w)
		w.result <- outcome{hold: h}
	}
	if err == nil {
		return nil
	}
	r.place = nil
	if r.grants == 0 {
		p.abandon() // else it is for those who hold by it, who are told of its end
	}
	return err
}

// grantLocked makes the next hold of the place, with a number, and so a token, of its own.
func (r *readers) grantLocked(ctx context.Context) (*Hold, error) {
	h := newHold(ctx, r.place, nil, r.grants)
	h.readers = r
	if err := r.place.share(h); err != nil {
		return nil, err
	}
	if r.grants == 0 {
		r.first = h.since
	}
	r.grants++
	return h, nil
}

// release takes a reader out. The last one leaves the place, and nobody joins it any more.
func (r *readers) release(ctx context.Context, h *Hold) error {
	r.mu.Lock()
	p := h.place
	last := p.part(h)
	if last && r.place == p {
		r.closeLocked()
	}
	r.mu.Unlock()
	if !last {
		return nil
	}
	return p.leave(ctx)
}

// lost tells that the place ended under its holders.
func (r *readers) lost(p *ownPlace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.place == p {
		r.closeLocked()
	}
}

// closeLocked lets nobody join any more: the next one begins anew.
func (r *readers) closeLocked() {
	if !r.closed {
		r.closed = true
		r.client.reads.remove(r)
	}
}

// failLocked tells everybody who waits.
func (r *readers) failLocked(err error) {
	r.closeLocked()
	for w := r.queue.front(); w != nil; w = r.queue.front() {
		r.queue.remove(w)
		w.result <- outcome{err: err}
	}
}
