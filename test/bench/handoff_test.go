package main

import (
	"maps"
	"slices"
	"testing"
)

// handOffs has four processes with 16 goroutines each take one lock over and over, as fast
// as each product lets them. What is faster takes the lock more often, so that all take about
// as long: so many cycles in a round.
func handOffs(b *testing.B, s store, warm, rounds int, cycles map[string]int) accounts {
	b.Helper()
	const processes, goroutines = 4, 16
	products := slices.Sorted(maps.Keys(cycles))
	c, all := startCrew(b, s, processes, goroutines, products...), make(accounts)
	for range b.N {
		for _, product := range products {
			for range warm {
				c.turn(b, product, cycles[product])
			}
		}
		for range rounds {
			for _, product := range products {
				c.round(b, all, turnOrder{Product: product, Cycles: cycles[product]})
			}
		}
	}
	all.report(b)
	return all
}

// inLine has 16 processes with one goroutine each take one lock over and over, first come,
// first served: with each product in turn, some rounds of the line.
func inLine(b *testing.B, c *crew, rounds, cycles int, products ...string) accounts {
	b.Helper()
	all := make(accounts)
	for range b.N {
		for range rounds {
			for _, product := range products {
				c.round(b, all, turnOrder{Product: product, Cycles: cycles})
			}
		}
	}
	all.report(b)
	return all
}
