package drivertest

import (
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// gauge counts what is held at the same time, in this process. A holder is counted
// from after its grant until before its leave, so two that overlap here overlapped in
// the store.
type gauge struct {
	e        *env
	capacity int64

	mu   sync.Mutex
	used int64
	last uint64
}

// hold counts a grant in. Exclusive grants come in order, so their orders increase.
func (g *gauge) hold(p driver.Place) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used += p.Units; g.used > g.capacity {
		g.e.Errorf("%q: %d units are held at the same time, of a capacity of %d", p.Line, g.used, g.capacity)
	}
	if p.Units != g.capacity || !g.e.Tokens {
		return
	}
	if p.Order <= g.last {
		g.e.Errorf("%q: a place of order %d was granted after one of order %d", p.Line, p.Order, g.last)
	}
	g.last = p.Order
}

// release counts it out again.
func (g *gauge) release(p driver.Place) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used -= p.Units
}
