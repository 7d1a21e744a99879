package main

import (
	"context"
	"sync"
	"testing"
	"time"
)

// crowd is so many goroutines, that take their locks so often in a round. Rounds to warm up
// are not counted.
type crowd struct{ goroutines, cycles, rounds, warm int }

// manyLocks has many goroutines of one process take a lock each, which nobody else wants,
// over and over: with each product in turn, some rounds.
func manyLocks(b *testing.B, s store, c crowd, products ...string) accounts {
	b.Helper()
	lockers, all := make(map[string][]locker), make(accounts)
	for _, product := range products {
		lockers[product] = ownLockers(b, product, s.endpoint, c.goroutines)
	}
	for range b.N {
		for range c.warm {
			for _, product := range products {
				atOnce(b, lockers[product], c.cycles)
			}
		}
		for range c.rounds {
			for _, product := range products {
				a := all.of(product)
				var took time.Duration
				var waits []float64
				spent := s.costOf(b, func() { took, waits = atOnce(b, lockers[product], c.cycles) })
				a.round("rate", float64(len(waits))/took.Seconds())
				a.sample("wait", waits...)
				a.bill(spent, len(waits))
			}
		}
	}
	all.report(b)
	return all
}

// atOnce has each goroutine take its lock so often, and returns how long that took, and each
// wait in nanoseconds.
func atOnce(b *testing.B, lockers []locker, cycles int) (took time.Duration, waits []float64) {
	b.Helper()
	errs, waited := make([]error, len(lockers)), make([][]float64, len(lockers))
	begun := time.Now()
	var all sync.WaitGroup
	for i, l := range lockers {
		all.Go(func() { waited[i], errs[i] = over(b.Context(), l, cycles) }) // ends with its cycles
	}
	all.Wait()
	took = time.Since(begun)
	for i, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
		waits = append(waits, waited[i]...)
	}
	return took, waits
}

func over(ctx context.Context, l locker, cycles int) ([]float64, error) {
	waits := make([]float64, 0, cycles)
	for range cycles {
		begun := time.Now()
		if err := l.lock(ctx); err != nil {
			return nil, err
		}
		waits = append(waits, float64(time.Since(begun)))
		if err := l.unlock(ctx); err != nil {
			return nil, err
		}
	}
	return waits, nil
}
