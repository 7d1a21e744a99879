package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/redisserver"
)

// BenchmarkRedisHandOver has 64 places wait for one lock, in four processes, and reports what
// a hand-over costs the server, counted there: what more of them cost more. So it does not
// count how the line forms, and ends.
func BenchmarkRedisHandOver(b *testing.B) {
	const processes, goroutines, cycles = 4, 16, 50
	server, all := redisserver.Start(b, redisserver.Options{}), make(accounts)
	c := startCrew(b, redisStore(server), processes, goroutines, redisStrict)
	c.turn(b, redisStrict, cycles) // subscribes
	for range 5 {
		c.round(b, all, turnOrder{Product: redisStrict, Cycles: cycles})
	}
	all.report(b)
	served := func(cycles int) (requests, holds int) {
		// What a client sends, as opposed to what a script calls.
		sent := []string{"evalsha", "eval", "subscribe", "unsubscribe", "ping"}
		before := server.Calls(sent...)
		t := c.turn(b, redisStrict, cycles)
		return server.Calls(sent...) - before, t.holds
	}
	for range b.N {
		few, fewHolds := served(cycles)
		many, manyHolds := served(5 * cycles)
		b.ReportMetric(float64(many-few)/float64(manyHolds-fewHolds), "requests")
	}
}
