package main

import (
	"context"
	"testing"
)

// owner is a product with locks that one goroutine wants alone.
type owner interface {
	product
	own(ctx context.Context) (locker, error)
}

// ownLockers opens a product, and a lock for each goroutine.
func ownLockers(b *testing.B, name, endpoint string, goroutines int) []locker {
	b.Helper()
	opened, err := products()[name](b.Context(), seat{Endpoint: endpoint, Of: 1})
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	b.Cleanup(func() { _ = opened.close() }) // the server is about to end
	p, ok := opened.(owner)
	if !ok {
		b.Fatalf("%s has no locks for one goroutine", name)
	}
	lockers := make([]locker, goroutines)
	for i := range lockers {
		if lockers[i], err = p.own(b.Context()); err != nil {
			b.Fatalf("%s: %v", name, err)
		}
	}
	return lockers
}
