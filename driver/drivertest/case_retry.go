package drivertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func retryCases() []testCase {
	return []testCase{
		{
			name: "retry/returns-the-same-place",
			reason: "A caller that lost an answer enters again with the same ID. A second place would be " +
				"one that nobody knows, and that is in the way for ever (S28).",
			run: retryReturnsTheSame,
		},
		{
			name: "retry/keeps-the-position",
			reason: "A waiter whose answer was lost has not lost its turn: entering again must not move it " +
				"to the end.",
			needs: queue,
			run:   retryKeepsThePosition,
		},
		{
			name: "retry/try-is-not-busy-by-itself",
			reason: "A try that is repeated after a lost answer finds its own place there. To call that busy " +
				"would make the caller walk away from a lock it holds (S28).",
			run: retryTryNotBusyByItself,
		},
		{
			name: "retry/at-once",
			reason: "A retry may overtake the attempt it repeats: both run at the same time, and still there " +
				"is one place.",
			run: retryAtOnce,
		},
		{
			name: "retry/after-cancelled-in-flight",
			reason: "A caller that gave up cannot know whether the store had taken its place. The error must " +
				"not claim to, and both ways out work: to enter again, and to leave (S27).",
			run: retryAfterCancelled,
		},
	}
}

func retryReturnsTheSame(e *env) {
	a := e.actor()
	c := mutex("orders")
	first := a.take(c)
	again := a.take(c)
	if again.Order != first.Order {
		e.Errorf("entering again: got the order %d, want %d", again.Order, first.Order)
	}
	e.stands(e.dial(), "orders", first)
	a.leave(first)
	a.stands("orders")
}

func retryKeepsThePosition(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	c := mutex("orders")
	middle := a.enter(c)
	last := b.enter(mutex("orders"))
	if again := a.enter(c); again.Granted || again.Order != middle.Order {
		e.Errorf("entering again: granted %v with the order %d, want a waiter with the order %d",
			again.Granted, again.Order, middle.Order)
	}
	b.stands("orders", holder, middle, last)
}

func retryTryNotBusyByItself(e *env) {
	a, b := e.actor(), e.actor()
	c := try(mutex("orders"))
	p := a.take(c)
	a.take(c)
	if e.Layout == driver.LayoutQueue {
		b.enter(mutex("orders")) // a waiter behind changes nothing
		a.take(c)
	}
	b.busy(mutex("orders"))
	a.leave(p)
}

func retryAtOnce(e *env) {
	a := e.actor()
	for range e.rounds(50) {
		c := mutex("orders")
		orders := e.atOnce(8, func() (driver.Place, error) { return a.ses.Enter(e.ctx(), c) })
		if len(orders) != 1 {
			e.Fatalf("one ID entered 8 times at once: got the orders %v, want one", orders)
		}
		l := e.line(e.dial(), "orders")
		if len(l.Places) != 1 {
			e.Fatalf("one ID entered 8 times at once: got %d places, want one", len(l.Places))
		}
		a.leave(l.Places[0])
	}
}

// atOnce makes n calls at the same time, each of which must be granted, and returns
// the different orders they got.
func (e *env) atOnce(n int, call func() (driver.Place, error)) []uint64 {
	e.Helper()
	var (
		mu     sync.Mutex
		seen   = make(map[uint64]bool)
		orders []uint64
		calls  sync.WaitGroup
	)
	for range n {
		// Each ends with its call, and is awaited below.
		calls.Go(func() {
			p, err := call()
			mu.Lock()
			defer mu.Unlock()
			if err != nil || !p.Granted {
				e.Errorf("one of %d calls at once: granted %v, error %v", n, p.Granted, err)
				return
			}
			if !seen[p.Order] {
				seen[p.Order] = true
				orders = append(orders, p.Order)
			}
		})
	}
	calls.Wait()
	return orders
}

var errGaveUp = errors.New("drivertest: the caller gave up")

func retryAfterCancelled(e *env) {
	a := e.actor()
	rng := newRand()
	began := time.Now()
	a.leave(a.take(mutex("orders")))
	trip := max(time.Since(began), time.Microsecond)
	for round := range e.rounds(200) {
		c := mutex("orders")
		c.Try = round%2 == 0
		ctx, cancel := context.WithCancelCause(e.Context())
		// Somewhere between before it was sent and after it was answered.
		timer := time.AfterFunc(time.Duration(rng.Int64N(int64(trip))), func() { cancel(errGaveUp) })
		if _, err := a.ses.Enter(ctx, c); err != nil {
			e.cancelled(err, errGaveUp, "Enter")
		}
		timer.Stop()
		cancel(nil)
		if round%4 < 2 {
			a.take(c) // again with the same ID: never behind itself
		}
		e.withdraw(a, c)
	}
}

// withdraw leaves an ID that may have been entered by a cancelled call, as a client
// does: an attempt that is still under way in the store may arrive after the leave,
// then the place is a stray, is found by Present, and is left again.
func (e *env) withdraw(a *actor, c driver.Claim) {
	e.Helper()
	e.eventually("the line is free of a place that was given up", func() bool {
		err := a.ses.Leave(e.ctx(), c.Line, c.ID)
		if err != nil && !errors.Is(err, driver.ErrGone) {
			e.Fatalf("Leave after a cancelled Enter: %v", err)
		}
		return a.line(c.Line).Find(c.ID) < 0
	})
}
