package main

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inTurn has one goroutine take a lock that nobody wants and give it back, with each
// product in turn, one operation each. It returns how long each took.
func inTurn(b *testing.B, lockers map[string]locker, warm, rounds int) map[string][]float64 {
	b.Helper()
	w, err := openWitness(filepath.Join(b.TempDir(), "witness"))
	if err != nil {
		b.Fatal(err)
	}
	names, took := slices.Sorted(maps.Keys(lockers)), make(map[string][]float64)
	for round := range warm + rounds {
		for _, i := range rand.Perm(len(names)) { // nobody always comes after the same one
			t := cycle(b, lockers[names[i]], w)
			if round >= warm {
				took[names[i]] = append(took[names[i]], float64(t))
			}
		}
	}
	return took
}

// most is the product with the largest median of those named.
func most(of map[string][]float64, names ...string) string {
	return slices.MaxFunc(names, byMedian(of))
}

// least is the one with the smallest.
func least(of map[string][]float64, names ...string) string {
	return slices.MinFunc(names, byMedian(of))
}

func byMedian(of map[string][]float64) func(a, b string) int {
	median := func(name string) float64 { return quantile(slices.Clone(of[name]), 0.5) }
	return func(a, b string) int { return cmp.Compare(median(a), median(b)) }
}

// reportMedians reports a number of each product, to be seen beside the others.
func reportMedians(b *testing.B, of map[string][]float64, unit string) {
	for name, numbers := range of {
		_, name, _ = strings.Cut(name, "/")
		b.ReportMetric(quantile(slices.Clone(numbers), 0.5), name+unit)
	}
}
