package main

import (
	"cmp"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// account is what was measured of one product. The units are those that tables have a
// column for, see columns.
type account struct {
	rounds map[string][]float64 // one number of each round, by its unit
	each   map[string][]float64 // one of each grant, in nanoseconds, by what took so long
	most   map[string]float64   // the largest that was seen, by its unit
}

func newAccount() *account {
	return &account{make(map[string][]float64), make(map[string][]float64), make(map[string]float64)}
}

// round adds a number of a round.
func (a *account) round(unit string, value float64) { a.rounds[unit] = append(a.rounds[unit], value) }

// sample adds how long something took.
func (a *account) sample(what string, ns ...float64) { a.each[what] = append(a.each[what], ns...) }

// largest adds a number of which the largest counts.
func (a *account) largest(unit string, value float64) { a.most[unit] = max(a.most[unit], value) }

// report reports all, under the name of the product.
func (a *account) report(b *testing.B, product string) {
	b.Helper()
	for unit, values := range a.rounds {
		reportQuantile(b, product+":"+unit, values, 0.5)
	}
	for what, values := range a.each {
		if len(values) > 0 {
			reportQuantile(b, product+":"+what+"-p50-ns", values, 0.5)
			reportQuantile(b, product+":"+what+"-p99-ns", values, 0.99)
		}
	}
	for unit, value := range a.most {
		b.ReportMetric(value, product+":"+unit)
	}
}

// accounts are those of all products of a benchmark.
type accounts map[string]*account

// of is the account of a product.
func (all accounts) of(product string) *account {
	if all[product] == nil {
		all[product] = newAccount()
	}
	return all[product]
}

// report reports all, each under the name of its product without the store.
func (all accounts) report(b *testing.B) {
	b.Helper()
	for product, a := range all {
		_, name, _ := strings.Cut(product, "/")
		a.report(b, name)
	}
}

// ratio compares two products by a number of each round.
func (all accounts) ratio(unit, product, other string) ratio {
	return ratioOfMedians(all.of(product).rounds[unit], all.of(other).rounds[unit])
}

// most is the product with the largest median of those named.
func (all accounts) most(unit string, names ...string) string {
	return slices.MaxFunc(names, all.byMedian(unit))
}

// least is the one with the smallest.
func (all accounts) least(unit string, names ...string) string {
	return slices.MinFunc(names, all.byMedian(unit))
}

func (all accounts) byMedian(unit string) func(a, b string) int {
	median := func(name string) float64 { return quantile(slices.Clone(all.of(name).rounds[unit]), 0.5) }
	return func(a, b string) int { return cmp.Compare(median(a), median(b)) }
}

func reportQuantile(b *testing.B, unit string, values []float64, q float64) {
	b.Helper()
	value, within := quantileWithin(values, q)
	b.ReportMetric(value, unit)
	b.ReportMetric(within.Low, unit+lowEnd)
	b.ReportMetric(within.High, unit+highEnd)
}

// quantileWithin is a quantile and where that of the whole population lies, by the ranks
// between which it is 19 times of 20 whatever the distribution: a binomial one tells how
// many of the samples are below it. A few samples tell no more than their range.
func quantileWithin(samples []float64, q float64) (float64, interval) {
	sorted := slices.Sorted(slices.Values(samples))
	n := float64(len(sorted))
	spread := 1.96 * math.Sqrt(n*q*(1-q))
	at := func(rank float64) float64 { return sorted[int(min(max(rank, 0), n-1))] }
	return sorted[int(q*(n-1))], interval{at(math.Floor(n*q-spread) - 1), at(math.Ceil(n*q + spread))}
}

func TestQuantileWithin(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	const trials, size, truth = 1_000, 200, 0.5
	missed := 0
	for range trials {
		samples := make([]float64, size)
		for i := range samples {
			samples[i] = random.Float64()
		}
		value, within := quantileWithin(samples, 0.5)
		if value < within.Low || value > within.High {
			t.Fatalf("got %v, want it within %v", value, within)
		}
		if truth < within.Low || truth > within.High {
			missed++
		}
		if within.High-within.Low > 0.25 {
			t.Fatalf("got %v, want less than a quarter of the range", within)
		}
	}
	if share := float64(missed) / trials; share > 0.07 || share < 0.005 {
		t.Errorf("the interval missed the median in %v of all trials, want about 0.05", share)
	}
	if value, within := quantileWithin([]float64{3, 1, 2}, 0.5); value != 2 || within != (interval{1, 3}) {
		t.Errorf("three samples: got %v within %v, want 2 within 1 to 3", value, within)
	}
}

func TestAccountsAreParsedAsTheyAreReported(t *testing.T) {
	t.Parallel()
	all := make(accounts)
	for _, rate := range []float64{100, 120, 110} {
		all.of("etcd/holdgate").round("rate", rate)
	}
	all.of("etcd/holdgate").sample("wait", 1, 2, 3)
	all.of("etcd/holdgate").largest("worst-ns", 7)
	printed := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			all.report(b)
		}
	})
	found, err := parse(strings.NewReader("BenchmarkX-2 "+printed.String()), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := numbers{
		"rate":        {110, &interval{100, 120}},
		"wait-p50-ns": {2, &interval{1, 3}},
		"wait-p99-ns": {2, &interval{2, 3}},
		"worst-ns":    {7, nil},
	}
	got := measuresOf(found["X"])["holdgate"]
	if !maps.EqualFunc(got, want, sameNumber) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func sameNumber(a, b number) bool {
	return a.Value == b.Value && (a.Within == nil) == (b.Within == nil) && (a.Within == nil || *a.Within == *b.Within)
}
