package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// crew is several processes that want the same locks.
type crew struct {
	store   store
	peers   []*peer
	witness witness
}

// turn is what a crew did with one product.
type turn struct {
	holds int
	took  time.Duration // from the first time that somebody had the lock to the last that one gave it back
	cost  cost
	// waits are those of each hold. handOvers are from when one began to give the lock back
	// until the next had it.
	waits, handOvers []float64
}

// rate is how often the lock was given to somebody in a second.
func (t turn) rate() float64 { return float64(t.holds) / t.took.Seconds() }

// startCrew starts so many processes with so many goroutines each, and returns when all
// are ready.
func startCrew(b *testing.B, s store, processes, goroutines int, products ...string) *crew {
	b.Helper()
	file := filepath.Join(b.TempDir(), "witness")
	w, err := openWitness(file)
	if err != nil {
		b.Fatal(err)
	}
	return &crew{s, startWorkers(b, "work", s, processes, goroutines, file, products), w}
}

// startWorkers starts processes in a role, and returns when all are ready.
func startWorkers(b *testing.B, role string, s store, processes, goroutines int, witness string, products []string) (peers []*peer) {
	b.Helper()
	for i := range processes {
		peers = append(peers, startPeer(b, role, workerTask{
			Seat: seat{Endpoint: s.endpoint, Index: i, Of: processes}, Goroutines: goroutines,
			Products: products, Witness: witness,
		}))
	}
	for _, p := range peers {
		var ready string
		if err := p.hear(&ready); err != nil {
			b.Fatalf("a process did not get ready: %v", err)
		}
	}
	return peers
}

// turn has every goroutine of every process take the lock of a product so often.
func (c *crew) turn(b *testing.B, product string, cycles int) turn {
	b.Helper()
	return c.follow(b, turnOrder{Product: product, Cycles: cycles})
}

// round is a turn that is put down in the account of the product.
func (c *crew) round(b *testing.B, to accounts, order turnOrder) {
	b.Helper()
	t, a := c.follow(b, order), to.of(order.Product)
	a.round("rate", t.rate())
	a.round("median-wait-ns", quantile(t.waits, 0.5))
	a.sample("wait", t.waits...)
	a.sample("handover", t.handOvers...)
	a.largest("worst-ns", slices.Max(t.waits))
	a.bill(t.cost, t.holds)
}

// follow has the crew follow an order. It fails when two had the lock at once.
func (c *crew) follow(b *testing.B, order turnOrder) turn {
	b.Helper()
	c.witness.forget()
	before := c.witness.passed()
	reports := make([]turnReport, len(c.peers))
	spent := c.store.costOfOthers(b, func() {
		for _, p := range c.peers {
			if err := p.say(order); err != nil {
				b.Fatal(err)
			}
		}
		for i, p := range c.peers {
			if err := p.hear(&reports[i]); err != nil {
				b.Fatalf("%s: a process did not report: %v", order.Product, err)
			}
		}
	})
	all := merge(reports)
	if all.Error != "" {
		b.Fatalf("%s: %s", order.Product, all.Error)
	}
	if counted := c.witness.passed() - before; counted != all.Counts {
		b.Fatalf("%s does not exclude: of %d counts there are %d", order.Product, all.Counts, counted)
	}
	spent.clients, spent.mallocs = all.Used.CPU, all.Used.Mallocs
	return turn{len(all.Waits), all.Last.Sub(all.First), spent, all.Waits, all.HandOvers}
}
