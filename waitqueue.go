package holdgate

import (
	"context"
	"iter"
)

// waiter is a goroutine in a local line.
type waiter struct {
	ctx    context.Context //nolint:containedctx // for the values of the hold it will get
	try    bool
	result chan outcome // gets exactly one, from whoever took the waiter out of the queue
	pinned bool         // somebody remembers it beyond the queue: it is not used again

	in           *waitQueue // nil when it is in none
	ahead, after *waiter
}

// outcome is what a waiter gets: a hold or an error.
type outcome struct {
	hold *Hold
	err  error
}

// newWaiter returns a waiter, one that is not needed any more if there is one: so to pass a
// lock on makes nothing but the hold.
func (c *Client) newWaiter(ctx context.Context, try bool) *waiter {
	w, ok := c.waiters.Get().(*waiter)
	if !ok {
		w = &waiter{result: make(chan outcome, 1)}
	}
	w.ctx, w.try = ctx, try
	return w
}

// recycle takes back a waiter that is in no queue and has nothing to come.
func (c *Client) recycle(w *waiter) {
	if !w.pinned {
		w.ctx = nil
		c.waiters.Put(w)
	}
}

// waitQueue is a queue of waiters, first come, first served.
type waitQueue struct {
	first, last *waiter
	n           int
}

func (q *waitQueue) empty() bool { return q.n == 0 }
func (q *waitQueue) len() int    { return q.n }

// front returns the first waiter, nil when there is none.
func (q *waitQueue) front() *waiter { return q.first }

func (q *waitQueue) pushBack(w *waiter) {
	w.in, w.ahead, w.after = q, q.last, nil
	if q.last == nil {
		q.first = w
	} else {
		q.last.after = w
	}
	q.last = w
	q.n++
}

func (q *waitQueue) pushFront(w *waiter) {
	w.in, w.ahead, w.after = q, nil, q.first
	if q.first == nil {
		q.last = w
	} else {
		q.first.ahead = w
	}
	q.first = w
	q.n++
}

// remove takes w out, and reports whether it was in.
func (q *waitQueue) remove(w *waiter) bool {
	if w.in != q {
		return false
	}
	if w.ahead == nil {
		q.first = w.after
	} else {
		w.ahead.after = w.after
	}
	if w.after == nil {
		q.last = w.ahead
	} else {
		w.after.ahead = w.ahead
	}
	w.in, w.ahead, w.after = nil, nil, nil
	q.n--
	return true
}

// all yields the waiters, the first one first.
func (q *waitQueue) all() iter.Seq[*waiter] {
	return func(yield func(*waiter) bool) {
		for w := q.first; w != nil; w = w.after {
			if !yield(w) {
				return
			}
		}
	}
}

// tries yields the waiters that only try; each may be removed meanwhile.
func (q *waitQueue) tries() iter.Seq[*waiter] {
	return func(yield func(*waiter) bool) {
		for w := q.first; w != nil; {
			next := w.after
			if w.try && !yield(w) {
				return
			}
			w = next
		}
	}
}
