package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// ratio is one median as a share of another, with where it really lies.
type ratio struct {
	value float64
	interval
}

// ratioOfMedians compares what was measured in turn: a[i] and b[i] saw the same
// machine. So the interval, a bootstrap, draws them in pairs.
func ratioOfMedians(a, b []float64) ratio {
	const draws = 1_000
	random := rand.New(rand.NewPCG(1, 2)) // the same numbers give the same interval
	drawn := make([]float64, draws)
	as, bs := make([]float64, len(a)), make([]float64, len(b))
	for i := range drawn {
		for n := range as {
			pair := random.IntN(len(a))
			as[n], bs[n] = a[pair], b[pair]
		}
		drawn[i] = quantile(as, 0.5) / quantile(bs, 0.5)
	}
	value := quantile(slices.Clone(a), 0.5) / quantile(slices.Clone(b), 0.5)
	return ratio{value, interval{quantile(drawn, 0.025), quantile(drawn, 0.975)}}
}

// report reports a ratio for the table.
func (r ratio) report(b *testing.B, unit string) {
	b.ReportMetric(r.value, unit)
	b.ReportMetric(r.Low, unit+lowEnd)
	b.ReportMetric(r.High, unit+highEnd)
}

func TestRatioOfMedians(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		truth  float64
		spread float64
		widest float64
	}{
		{"no noise", 2, 0, 0},
		{"alike", 1, 0.3, 0.05},
		{"a little slower", 0.9, 0.3, 0.05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(3, 4))
			noisy := func(v float64) float64 { return v * (1 + tt.spread*(random.Float64()-0.5)) }
			var a, b []float64
			for range 1_000 {
				a, b = append(a, noisy(tt.truth)), append(b, noisy(1))
			}
			r := ratioOfMedians(a, b)
			if r.Low > tt.truth || r.High < tt.truth {
				t.Errorf("got %v to %v, want %v within", r.Low, r.High, tt.truth)
			}
			if r.High-r.Low > tt.widest {
				t.Errorf("got an interval of %v, want at most %v", r.High-r.Low, tt.widest)
			}
			if r.value < r.Low || r.value > r.High {
				t.Errorf("got %v, want it within %v to %v", r.value, r.Low, r.High)
			}
		})
	}
}
