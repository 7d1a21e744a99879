package drivertest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func watchFlowCases() []testCase {
	return []testCase{
		{
			name: "watch/ends-on-the-last-state",
			reason: "States may be skipped, the last one never: a watcher that stays one behind shows a " +
				"holder that has long gone (S65).",
			needs: queue,
			run:   watchEndsOnLast,
		},
		{
			name: "watch/slow-consumer",
			reason: "Somebody who is slow to look must not slow the store down for others, nor miss how it " +
				"ended.",
			needs: queue,
			run:   watchSlowConsumer,
		},
		{
			name: "watch/ends-with-its-context",
			reason: "The end of the context is an error of the sequence: the caller can tell a watch that " +
				"broke from one that it stopped itself.",
			needs: queue,
			run:   watchEndsWithContext,
		},
		{
			name:   "watch/left-by-its-consumer",
			reason: "Who has seen enough leaves the loop. Nothing stays behind, and the handle works on.",
			needs:  queue,
			run:    watchLeft,
		},
		{
			name:   "watch/many-at-once",
			reason: "Watches of one handle do not take each other's news.",
			needs:  queue,
			run:    watchMany,
		},
	}
}

func watchEndsOnLast(e *env) {
	actors := e.actors(3)
	one := e.watch(e.dial(), driver.Query{Name: "orders"})
	all := e.watch(e.dial(), driver.Query{Prefix: true})
	for range e.rounds(30) {
		calls := make([]func() error, len(actors))
		for i, a := range actors {
			calls[i] = func() error { return a.cycle(0) }
		}
		e.both(calls...)
		last := actors[0].take(mutex("orders"))
		one.shows("orders", last)
		all.shows("orders", last)
		actors[0].leave(last)
		one.shows("orders")
		all.shows("orders")
	}
}

func watchSlowConsumer(e *env) {
	a, b := e.actor(), e.actor()
	reached, held := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(held) })
	defer goOn()
	first := true
	w := e.watchSeeing(a.drv, driver.Query{Prefix: true}, func(driver.Snapshot) {
		if first {
			first = false
			close(reached)
			<-held
		}
	})
	e.awaits(reached, "the first snapshot of a watch")
	// The handle of the slow watch, and others, work on meanwhile.
	for range e.rounds(100) {
		e.must(a.cycle(0), "enter and leave beside a slow watch")
		e.must(b.cycle(0), "enter and leave beside a slow watch")
	}
	last := b.take(mutex("orders"))
	e.settle()
	goOn()
	w.shows("orders", last)
}

func watchEndsWithContext(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	for _, q := range []driver.Query{{Name: "orders"}, {Prefix: true}} {
		w := e.watch(a.drv, q)
		w.shows("orders", p)
		w.cancel(errGaveUp)
		w.await()
		e.cancelled(w.err, errGaveUp, "Watch")
	}
	for _, err := range a.drv.Watch(e.ended(errGaveUp), driver.Query{Prefix: true, Once: true}) {
		e.cancelled(err, errGaveUp, "Watch with Once")
	}
}

func watchLeft(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	for range 20 {
		for snapshot, err := range a.drv.Watch(e.ctx(), driver.Query{Prefix: true}) {
			e.must(err, "Watch")
			if !slices.Equal(names(snapshot.Lines), []string{"orders"}) {
				e.Errorf("got the lines %q, want orders", names(snapshot.Lines))
			}
			break
		}
	}
	ctx, cancel := context.WithTimeout(e.Context(), patience)
	defer cancel()
	began := time.Now()
	for _, err := range a.drv.Watch(ctx, driver.Query{Name: "orders"}) {
		e.must(err, "Watch")
		break
	}
	if took := time.Since(began); took > patience/2 {
		e.Errorf("leaving a watch took %v", took)
	}
	a.leave(p)
	a.stands("orders")
}

func watchMany(e *env) {
	a := e.actor()
	watchers := make([]*watcher, 10)
	for i := range watchers {
		watchers[i] = e.watch(a.drv, driver.Query{Prefix: i%2 == 0, Name: "orders"})
		watchers[i].shows("orders")
	}
	p := a.take(mutex("orders"))
	for _, w := range watchers {
		w.shows("orders", p)
	}
	watchers[0].cancel(errGaveUp)
	watchers[0].await()
	a.leave(p)
	for _, w := range watchers[1:] {
		w.shows("orders")
	}
}
