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
	all := []string{holdgateAsync, holdgateStrict, peerMutex, tokenRing}
	c := startCrew(b, server.Endpoint(), processes, 1, all...)
	c.turn(b, holdgateAsync, cycles) // lays the watches
	reportOperations(b, server, c, cycles)
	turns := make(map[string][]turn)
	for range b.N {
		for round := range 1 + rounds { // the first lays those of the others
			for _, product := range all {
				t := c.turn(b, product, cycles)
				if round > 0 {
					turns[product] = append(turns[product], t)
				}
			}
		}
	}
	rate := func(product string) []float64 { return each(turns[product], turn.rate) }
	wait := func(product string) []float64 {
		return each(turns[product], func(t turn) float64 { return float64(t.wait) })
	}
	ratioOfMedians(rate(holdgateAsync), rate(peerMutex)).report(b, "rate/peer")
	ratioOfMedians(wait(holdgateAsync), wait(peerMutex)).report(b, "wait/peer")
	ratioOfMedians(rate(tokenRing), rate(holdgateAsync)).report(b, "cost/ring")
	ratioOfMedians(rate(holdgateStrict), rate(peerMutex)).report(b, "waited-rate/peer")
	ratioOfMedians(rate(tokenRing), rate(holdgateStrict)).report(b, "waited-cost/ring")
	for product, unit := range map[string]string{holdgateAsync: "ours", holdgateStrict: "waited", peerMutex: "peer", tokenRing: "ring"} {
		b.ReportMetric(quantile(rate(product), 0.5), unit+"/s")
		b.ReportMetric(quantile(wait(product), 0.5), unit+"-p50-ns")
	}
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

// each is a number of every turn.
func each(turns []turn, number func(turn) float64) []float64 {
	numbers := make([]float64, len(turns))
	for i, t := range turns {
		numbers[i] = number(t)
	}
	return numbers
}
