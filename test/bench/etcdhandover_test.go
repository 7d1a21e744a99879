package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// BenchmarkEtcdHandOver has 16 processes with one goroutine each take one lock over and
// over, first come, first served: with each product in turn, some rounds of the line. Ours
// is measured in two ways: with releases that are not waited for, as in Client.Do, and
// with Release.
func BenchmarkEtcdHandOver(b *testing.B) {
	const processes, cycles, rounds = 16, 12, 12
	server := etcdserver.Start(b, 1).Members[0]
	products := []string{holdgateAsync, holdgateStrict, peerMutex, tokenRing}
	c := startCrew(b, etcdStore(b, server), processes, 1, products...)
	c.turn(b, holdgateAsync, cycles) // lays the watches
	reportOperations(b, server, c, cycles)
	for _, product := range products[1:] { // and those of the others
		c.turn(b, product, cycles)
	}
	all := inLine(b, c, rounds, cycles, products...)
	all.ratio("rate", holdgateAsync, peerMutex).report(b, "rate/peer")
	all.ratio("median-wait-ns", holdgateAsync, peerMutex).report(b, "wait/peer")
	all.ratio("rate", tokenRing, holdgateAsync).report(b, "cost/ring")
	all.ratio("rate", holdgateStrict, peerMutex).report(b, "waited-rate/peer")
	all.ratio("rate", tokenRing, holdgateStrict).report(b, "waited-cost/ring")
}

// reportOperations reports what a hand-over costs the store, counted there: what more of
// them cost more. So it does not count how the line forms, and ends. Once a minute each
// process compares what it has: that is not among it if the processes are young.
func reportOperations(b *testing.B, server *etcdserver.Member, c *crew, cycles int) {
	b.Helper()
	served := func(cycles int) (etcdserver.Served, float64) {
		before := server.Served(b)
		t := c.turn(b, holdgateAsync, cycles)
		return server.Served(b).Since(before), float64(t.holds)
	}
	few, fewHolds := served(cycles)
	many, manyHolds := served(5 * cycles)
	more, handOvers := many.Since(few), manyHolds-fewHolds
	b.ReportMetric(more.Writes()/handOvers, "writes")
	b.ReportMetric(more.Reads()/handOvers, "reads")
}
