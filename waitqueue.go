package holdgate

import (
	"container/list"
	"context"
	"iter"
)

// waiter is a goroutine in a local line.
type waiter struct {
	ctx    context.Context //nolint:containedctx // for the values of the hold it will get
	try    bool
	result chan outcome // gets exactly one, from whoever took the waiter out of the queue
	at     *list.Element
}

// outcome is what a waiter gets: a hold or an error.
type outcome struct {
	hold *Hold
	err  error
}

func newWaiter(ctx context.Context, try bool) *waiter {
	return &waiter{ctx: ctx, try: try, result: make(chan outcome, 1)}
}

// waitQueue is a queue of waiters, first come, first served.
type waitQueue struct{ list list.List }

func (q *waitQueue) empty() bool { return q.list.Len() == 0 }
func (q *waitQueue) len() int    { return q.list.Len() }

func (q *waitQueue) pushBack(w *waiter)  { w.at = q.list.PushBack(w) }
func (q *waitQueue) pushFront(w *waiter) { w.at = q.list.PushFront(w) }

// front returns the first waiter, nil when there is none.
func (q *waitQueue) front() *waiter {
	if e := q.list.Front(); e != nil {
		return e.Value.(*waiter)
	}
	return nil
}

// remove takes w out, and reports whether it was in.
func (q *waitQueue) remove(w *waiter) bool {
	if w.at == nil {
		return false
	}
	q.list.Remove(w.at)
	w.at = nil
	return true
}

// tries yields the waiters that only try; each may be removed meanwhile.
func (q *waitQueue) tries() iter.Seq[*waiter] {
	return func(yield func(*waiter) bool) {
		for e := q.list.Front(); e != nil; {
			next := e.Next()
			if w := e.Value.(*waiter); w.try && !yield(w) {
				return
			}
			e = next
		}
	}
}
