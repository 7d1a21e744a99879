package main

import "testing"

// BenchmarkZooKeeperMany has 64 goroutines of one process take a lock each, which nobody
// else wants, over and over: with each product in turn, some rounds.
func BenchmarkZooKeeperMany(b *testing.B) {
	const goroutines, cycles, rounds, warm = 64, 10, 25, 10
	server := startZK(b)
	names, lockers := []string{zkHoldgate, zkLock}, make(map[string][]locker)
	for _, name := range names {
		lockers[name] = ownLockers(b, name, server.Address(), goroutines)
	}
	rates := make(map[string][]float64)
	for range b.N {
		for round := range warm + rounds {
			for _, name := range names {
				rate := atOnce(b, lockers[name], cycles)
				if round >= warm {
					rates[name] = append(rates[name], rate)
				}
			}
		}
	}
	reportMedians(b, rates, "/s")
	ratioOfMedians(rates[zkHoldgate], rates[zkLock]).report(b, "rate/peer")
}
