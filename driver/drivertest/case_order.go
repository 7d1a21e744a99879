package drivertest

import (
	"slices"
	"strconv"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func orderCases() []testCase {
	return []testCase{
		{
			name: "order/increases-over-the-line's-life",
			reason: "The order is the fencing token's basis: a resource refuses what is lower than it has " +
				"seen. So it must increase also after the line was empty, and for every session and handle.",
			needs: tokens,
			run:   orderIncreases,
		},
		{
			name: "order/increases-for-another-use",
			reason: "A name may be a mutex today and a semaphore tomorrow: what it protects has seen the " +
				"orders of both.",
			needs: all(queue, tokens, shared),
			run:   orderIncreasesForAnotherUse,
		},
		{
			name: "order/two-at-once",
			reason: "Places that enter at the same moment get different orders, and the line stands in " +
				"exactly that order.",
			needs: all(queue, tokens),
			run:   orderAtOnce,
		},
		{
			name:   "order/fits-a-token",
			reason: "A token is the order and a byte; together they must fit SQL's BIGINT. And 0 means none.",
			needs:  tokens,
			run:    orderFits,
		},
		{
			name: "order/many-lines-used-once",
			reason: "Names that are used once must not make a store forget a name that comes back: its " +
				"orders still increase (S49).",
			needs: tokens,
			run:   orderManyLines,
		},
		{
			name: "order/none",
			reason: "A store without orders says 0: a made-up number would be used as a fencing token, and " +
				"fence nothing.",
			needs: not(tokens),
			run:   orderNone,
		},
	}
}

// rising checks that orders strictly increase in the order in which it is told them.
type rising struct {
	e    *env
	last uint64
}

func (r *rising) next(p driver.Place, what string) {
	r.e.Helper()
	if p.Order <= r.last {
		r.e.Fatalf("%s: got the order %d after the order %d", what, p.Order, r.last)
	}
	r.last = p.Order
}

func orderIncreases(e *env) {
	orders := rising{e: e}
	a := e.actor()
	for range e.rounds(30) {
		p := a.take(mutex("orders"))
		orders.next(p, "the same session again, the line was empty")
		a.leave(p)
	}
	b := a.session()
	p := b.take(mutex("orders"))
	orders.next(p, "another session")
	b.end()
	c := e.actor()
	p = c.take(mutex("orders"))
	orders.next(p, "another handle, after a session was closed")
	p = c.swap(p, mutex("orders"))
	orders.next(p, "Swap")
	c.leave(p)
	c.crash()
	orders.next(e.actor().take(mutex("orders")), "after a handle was closed")
}

func orderIncreasesForAnotherUse(e *env) {
	orders := rising{e: e}
	a := e.actor()
	for _, c := range []driver.Claim{
		mutex("orders"), permits("orders", 3, 2), writer("orders"), presence("orders"), mutex("orders"),
	} {
		p := a.take(c)
		orders.next(p, "now used as "+string(c.Kind))
		a.leave(p)
	}
}

func orderAtOnce(e *env) {
	var (
		actors  = e.actors(4)
		mu      sync.Mutex
		entered []driver.Place
		calls   []func() error
	)
	for i := range 24 {
		a := actors[i%len(actors)]
		calls = append(calls, func() error {
			p, err := a.ses.Enter(e.ctx(), mutex("orders"))
			mu.Lock()
			defer mu.Unlock()
			entered = append(entered, p)
			return err
		})
	}
	e.both(calls...)
	slices.SortFunc(entered, func(x, y driver.Place) int { return int(int64(x.Order) - int64(y.Order)) })
	l := actors[0].stands("orders", entered...)
	for i, p := range l.Places {
		if p.Order != entered[i].Order {
			e.Errorf("place %d: Enter answered the order %d, Line shows %d", i, entered[i].Order, p.Order)
		}
	}
}

func orderFits(e *env) {
	if p := e.actor().take(mutex("orders")); p.Order == 0 || p.Order >= 1<<55 {
		e.Errorf("got the order %d, want one from 1 to 2^55-1", p.Order)
	}
}

func orderManyLines(e *env) {
	orders := rising{e: e}
	a := e.actor()
	for round := range 3 {
		p := a.take(mutex("orders"))
		orders.next(p, "the name that comes back")
		a.leave(p)
		for i := range e.rounds(100) {
			a.leave(a.take(mutex("once-" + strconv.Itoa(round) + "-" + strconv.Itoa(i))))
		}
	}
}

func orderNone(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	if p.Order != 0 {
		e.Errorf("Enter: got the order %d from a store that declares no tokens", p.Order)
	}
	for _, p := range a.line("orders").Places {
		if p.Order != 0 {
			e.Errorf("Line: got the order %d from a store that declares no tokens", p.Order)
		}
	}
}
