package main

import (
	"context"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// inTurn has one goroutine take a lock that nobody wants and give it back, with each
// product in turn, one operation each.
func inTurn(b *testing.B, to accounts, lockers map[string]locker, warm, rounds int) {
	b.Helper()
	w := ownWitness(b)
	names := slices.Sorted(maps.Keys(lockers))
	for round := range warm + rounds {
		for _, i := range rand.Perm(len(names)) { // nobody always comes after the same one
			waited, took := cycle(b, lockers[names[i]], w)
			if round >= warm {
				a := to.of(names[i])
				a.sample("wait", float64(waited))
				a.sample("cycle", float64(took))
				a.round("rate", float64(time.Second)/float64(took))
			}
		}
	}
}

// billInTurn has it do so with each product some rounds of several operations, and puts down
// what they cost.
func billInTurn(b *testing.B, to accounts, s store, lockers map[string]locker, rounds, cycles int) {
	b.Helper()
	w := ownWitness(b)
	for range rounds {
		for _, name := range slices.Sorted(maps.Keys(lockers)) {
			to.of(name).bill(s.costOf(b, func() {
				for range cycles {
					cycle(b, lockers[name], w)
				}
			}), cycles)
		}
	}
}

// ownWitness is one that no other process shares.
func ownWitness(b *testing.B) witness {
	b.Helper()
	w, err := openWitness(filepath.Join(b.TempDir(), "witness"))
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// openLocker opens a product in this process, for the length of the benchmark.
func openLocker(b *testing.B, product, endpoint string) locker {
	b.Helper()
	p, err := products()[product](b.Context(), seat{Endpoint: endpoint, Of: 1})
	if err != nil {
		b.Fatalf("%s: %v", product, err)
	}
	b.Cleanup(func() { _ = p.close() }) // the server is about to end
	l, err := p.locker(b.Context())
	if err != nil {
		b.Fatalf("%s: %v", product, err)
	}
	return l
}

// cycle returns how long it takes to lock, and to lock and to unlock.
func cycle(b *testing.B, l locker, w witness) (waited, both time.Duration) {
	b.Helper()
	before := w.passed()
	begun := time.Now()
	if err := l.lock(b.Context()); err != nil {
		b.Fatal(err)
	}
	waited = time.Since(begun)
	w.pass()
	begun = time.Now()
	if err := l.unlock(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
	if w.passed() != before+1 {
		b.Fatal("it does not exclude")
	}
	return waited, waited + time.Since(begun)
}
