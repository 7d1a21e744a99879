package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func waitCases() []testCase {
	return []testCase{
		{
			name:   "wait/hand-over",
			reason: "When the holder leaves, the one behind is told. Nobody has to ask again.",
			run:    waitHandOver,
		},
		{
			name: "wait/called-late",
			reason: "The grant may come before the caller begins to wait: a wake-up that nobody heard must " +
				"not be lost.",
			needs: queue,
			run:   waitCalledLate,
		},
		{
			name: "wait/gone",
			reason: "A place that does not stand is never granted. Its waiter is told, so that it can enter " +
				"anew, instead of waiting for ever.",
			needs: queue,
			run:   waitGone,
		},
		{
			name:   "wait/left-while-waiting",
			reason: "Another goroutine may give the place up while one waits: the wait ends, with ErrGone.",
			needs:  queue,
			run:    waitLeftWhileWaiting,
		},
		{
			name:   "wait/twice",
			reason: "All methods may be called concurrently: two waits for one place both learn of the grant.",
			needs:  queue,
			run:    waitTwice,
		},
		{
			name: "wait/cancelled-keeps-the-place",
			reason: "The context bounds the wait only. The place stands until it is left, and can be waited " +
				"for again without losing its turn.",
			needs: queue,
			run:   waitCancelledKeepsThePlace,
		},
		{
			name: "wait/granted-stays-granted",
			reason: "Nobody joins ahead, so a grant can only end by the place's removal. Whoever asks again " +
				"must not be sent back to wait.",
			needs: queue,
			run:   waitGrantedStaysGranted,
		},
		{
			name: "wait/does-not-poll",
			reason: "Hundreds wait for minutes. A wait may return early now and then, but a caller that is " +
				"sent round in circles polls the store (S43).",
			needs: queue, slow: true,
			run: waitDoesNotPoll,
		},
		{
			name:   "wait/ping-pong",
			reason: "Two processes that hand one lock back and forth must never get stuck (S40).",
			run:    waitPingPong,
		},
	}
}

func waitHandOver(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	a.leave(p)
	got := w.granted()
	e.stands(e.dial(), "orders", got)
	b.leave(got)
	a.stands("orders")
}

func waitCalledLate(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	late := b.enter(mutex("orders"))
	a.leave(p)
	b.await(late).granted()
}

func waitGone(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	never := driver.Place{Line: "orders", ID: newID(), Order: holder.Order}
	b.await(never).fails(driver.ErrGone)
	b.await(driver.Place{Line: "nobody-was-here", ID: newID(), Order: 1}).fails(driver.ErrGone)
	left := b.enter(mutex("orders"))
	b.leave(left)
	b.await(left).fails(driver.ErrGone)
	a.leave(holder)
	a.await(holder).fails(driver.ErrGone)
}

func waitLeftWhileWaiting(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	w.leave()
	w.fails(driver.ErrGone)
	a.stands("orders", holder)
}

func waitTwice(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	first := b.queue(mutex("orders"))
	second := b.await(first.place)
	first.pending()
	second.pending()
	a.leave(holder)
	first.granted()
	second.granted()
}

func waitCancelledKeepsThePlace(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	behind := c.queue(mutex("orders"))
	w.pending()
	w.cancel(errGaveUp)
	w.await(patience)
	e.cancelled(w.err, errGaveUp, "Wait")
	a.stands("orders", holder, w.place, behind.place)
	a.leave(holder)
	behind.pending()
	b.await(w.place).granted()
	behind.pending()
	w.leave()
	behind.granted()
}

func waitGrantedStaysGranted(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	for range 3 {
		w := b.queue(mutex("orders"))
		a.await(p).granted()
		w.pending()
		w.leave()
		w.fails(driver.ErrGone)
	}
	a.await(p).granted()
}

func waitDoesNotPoll(e *env) {
	a, b := e.actor(), e.actor()
	a.take(mutex("orders"))
	p := b.enter(mutex("orders"))
	ctx := e.ctxFor(e.ttl)
	early := 0
	for ctx.Err() == nil && early <= 10 {
		if _, err := b.ses.Wait(ctx, p); err == nil {
			early++
		}
	}
	if early > 10 {
		e.Errorf("Wait returned more than %d times within %v, though nothing happened", early-1, e.ttl)
	}
}

func waitPingPong(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	for range e.rounds(300) {
		w := b.queue(mutex("orders"))
		a.leave(p)
		p = w.granted()
		a, b = b, a
	}
}
