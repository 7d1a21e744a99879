package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/zkserver"
)

// BenchmarkZooKeeperHandOver has 16 processes with one goroutine each take one lock over
// and over, first come, first served: with each product in turn, some rounds of the line.
// Ours is measured in two ways: with releases that are not waited for, as in Client.Do, and
// with Release.
func BenchmarkZooKeeperHandOver(b *testing.B) {
	const processes, cycles, rounds = 16, 12, 12
	server := startZK(b)
	products := []string{zkAsync, zkStrict, zkLock, zkTokenRing}
	c := startCrew(b, zkStore(b, server), processes, 1, products...)
	for range 3 { // the server's Java compiles what runs often
		for _, product := range products {
			c.turn(b, product, cycles)
		}
	}
	reportServed(b, server, c, zkAsync, "", cycles)
	reportServed(b, server, c, zkStrict, "waited-", cycles)
	reportServed(b, server, c, zkLock, "peer-", cycles)
	all := inLine(b, c, rounds, cycles, products...)
	all.ratio("rate", zkAsync, zkLock).report(b, "rate/peer")
	all.ratio("rate", zkStrict, zkLock).report(b, "waited-rate/peer")
	all.ratio("rate", zkTokenRing, zkAsync).report(b, "cost/ring")
	all.ratio("rate", zkTokenRing, zkStrict).report(b, "waited-cost/ring")
}

// reportServed reports what a hand-over costs the store, counted there: what more of them
// cost more. So it does not count how the line forms, and ends.
func reportServed(b *testing.B, server *zkserver.Server, c *crew, product, prefix string, cycles int) {
	b.Helper()
	served := func(cycles int) (zkserver.Served, float64) {
		before := server.Served(b)
		t := c.turn(b, product, cycles)
		return server.Served(b).Since(before), float64(t.holds)
	}
	few, fewHolds := served(cycles)
	many, manyHolds := served(4 * cycles)
	more, handOvers := many.Since(few), manyHolds-fewHolds
	b.ReportMetric(more.Writes/handOvers, prefix+"writes")
	b.ReportMetric(more.Reads/handOvers, prefix+"reads")
	b.ReportMetric(more.Syncs/handOvers, prefix+"syncs")
}
