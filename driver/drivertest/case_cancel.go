package drivertest

import (
	"context"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func cancelCases() []testCase {
	return []testCase{
		{
			name: "cancel/before",
			reason: "A call whose context has ended already says so by the cause. The caller must not take it " +
				"for an answer of the store (S27).",
			run: cancelBefore,
		},
		{
			name: "cancel/waiting",
			reason: "Giving up works at once, whatever the store does: a user pressed a key, or a deadline " +
				"passed (S31).",
			run: cancelWaiting,
		},
		{
			name:   "cancel/deadline",
			reason: "A deadline is told as context.DeadlineExceeded, which callers compare with (S31).",
			run:    cancelDeadline,
		},
		{
			name: "cancel/in-flight",
			reason: "Any call may be cancelled at any moment. It returns, with the answer or with the cause, " +
				"and the handle works on (S27).",
			run: cancelInFlight,
		},
		{
			name:   "cancel/leaves-no-waiter",
			reason: "Waiters that time out and leave are not in the line any more; the next is unaffected (S29).",
			run:    cancelLeavesNoWaiter,
		},
	}
}

func cancelBefore(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	for _, op := range a.operations(p) {
		e.cancelled(op.call(e.ended(errGaveUp)), errGaveUp, "%s", op.name)
	}
}

func cancelWaiting(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	began := time.Now()
	w.cancel(errGaveUp)
	w.await(patience)
	if took := w.at.Sub(began); took > e.promptly() {
		e.Errorf("the wait returned %v after it was cancelled, want at most %v", took, e.promptly())
	}
	e.cancelled(w.err, errGaveUp, "waiting")
	e.withdraw(b, driver.Claim{Line: "orders", ID: w.place.ID})
	a.stands("orders", holder)
}

func cancelDeadline(e *env) {
	a, b := e.actor(), e.actor()
	a.take(mutex("orders"))
	p := driver.Place{}
	if e.Layout == driver.LayoutQueue {
		p = b.enter(mutex("orders"))
	}
	const limit = 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(e.Context(), limit)
	defer cancel()
	began := time.Now()
	err := e.returns(ctx, operation{name: "waiting", call: func(ctx context.Context) (err error) {
		if e.Layout == driver.LayoutQueue {
			_, err = b.ses.Wait(ctx, p)
		} else {
			_, err = b.ses.Enter(ctx, mutex("orders"))
		}
		return err
	}})
	if took := time.Since(began); took > limit+e.promptly() {
		e.Errorf("returned after %v, want at most %v after the deadline of %v", took, e.promptly(), limit)
	}
	e.cancelled(err, context.DeadlineExceeded, "waiting until a deadline")
}

func cancelInFlight(e *env) {
	rng := newRand()
	for range e.rounds(30) {
		a := e.actor()
		p := a.take(mutex("orders"))
		ops := a.operations(p)
		rng.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		for _, op := range ops {
			e.cancelInFlight(op, time.Duration(rng.Int64N(int64(time.Millisecond))))
		}
		a.end()
		e.stands(e.dial(), "orders")
	}
}

// cancelInFlight makes a call and cancels it after a while.
func (e *env) cancelInFlight(op operation, after time.Duration) {
	e.Helper()
	ctx, cancel := context.WithCancelCause(e.Context())
	defer cancel(nil)
	timer := time.AfterFunc(after, func() { cancel(errGaveUp) })
	defer timer.Stop()
	began := time.Now()
	err := e.returns(ctx, op)
	if took := time.Since(began); took > after+e.promptly() {
		e.Errorf("%s returned %v after it was cancelled, want at most %v", op.name, took-after, e.promptly())
	}
	if err != nil && !answersOfStore(err) {
		e.cancelled(err, errGaveUp, "%s", op.name)
	}
}

func cancelLeavesNoWaiter(e *env) {
	actors := e.actors(4)
	holder := actors[0].take(mutex("orders"))
	for range e.rounds(30) {
		var waiters []*waiting
		for _, a := range actors[1:] {
			waiters = append(waiters, a.queue(mutex("orders")))
		}
		for _, w := range waiters[:2] {
			w.cancel(errGaveUp)
			w.await(patience)
			e.withdraw(w.a, driver.Claim{Line: "orders", ID: w.place.ID})
		}
		last := waiters[2]
		last.pending()
		actors[0].leave(holder)
		next := last.granted()
		actors[0].stands("orders", next)
		last.leave()
		holder = actors[0].take(mutex("orders"))
	}
}
