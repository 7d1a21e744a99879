package main

import (
	"path/filepath"
	"testing"
	"time"
)

// crew is several processes that want the same locks.
type crew struct {
	peers   []*peer
	witness witness
}

// turn is what a crew did with one product.
type turn struct {
	holds int
	took  time.Duration // from the first time that somebody had the lock to the last that one gave it back
	wait  time.Duration // half of all waits were shorter
}

// rate is how often the lock was given to somebody in a second.
func (t turn) rate() float64 { return float64(t.holds) / t.took.Seconds() }

// startCrew starts so many processes with so many goroutines each, and returns when all
// are ready.
func startCrew(b *testing.B, endpoint string, processes, goroutines int, products ...string) *crew {
	b.Helper()
	file := filepath.Join(b.TempDir(), "witness")
	w, err := openWitness(file)
	if err != nil {
		b.Fatal(err)
	}
	c := &crew{witness: w}
	for i := range processes {
		c.peers = append(c.peers, startPeer(b, "work", workerTask{
			Seat: seat{Endpoint: endpoint, Index: i, Of: processes}, Goroutines: goroutines,
			Products: products, Witness: file,
		}))
	}
	for _, p := range c.peers {
		var ready string
		if err := p.hear(&ready); err != nil {
			b.Fatalf("a process did not get ready: %v", err)
		}
	}
	return c
}

// turn has every goroutine of every process take the lock of a product so often. It fails
// when two had it at once.
func (c *crew) turn(b *testing.B, product string, cycles int) turn {
	b.Helper()
	before := c.witness.passed()
	for _, p := range c.peers {
		if err := p.say(turnOrder{product, cycles}); err != nil {
			b.Fatal(err)
		}
	}
	reports := make([]turnReport, len(c.peers))
	for i, p := range c.peers {
		if err := p.hear(&reports[i]); err != nil {
			b.Fatalf("%s: a process did not report: %v", product, err)
		}
	}
	all := merge(reports)
	if all.Error != "" {
		b.Fatalf("%s: %s", product, all.Error)
	}
	holds := len(all.Waits)
	if counted := c.witness.passed() - before; counted != uint64(holds) {
		b.Fatalf("%s does not exclude: %d holds, of which %d counted", product, holds, counted)
	}
	return turn{holds, all.Last.Sub(all.First), quantile(all.Waits, 0.5)}
}
