package simulation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// tally counts what a run has reached.
func tally(out simOutcome) map[string]int {
	n := maps.Clone(out.counts)
	grants := make(map[string]int)
	for _, e := range out.events {
		switch e.Kind {
		case history.Grant:
			n["granted"]++
			if grants[e.Place]++; grants[e.Place] > 1 {
				n["passed on locally"]++
			}
		case history.Lost:
			n["holder told: "+e.Why]++
		case history.Broken:
			n["granted place taken away"]++
		case history.Reject:
			n["late write refused"]++
		}
	}
	return n
}

// wantReached checks that the schedules got everywhere: a simulation that never
// reaches a state proves nothing about it.
func wantReached(t *testing.T, reached map[string]int) {
	t.Helper()
	least := map[string]int{
		"granted": 10_000, "passed on locally": 1_000, "late write refused": 1_000, "granted place taken away": 50,
		"try was busy": 200, "gave up": 500, "gave up at the grant": 20, "verified": 500,
		"holder told: expired": 5, "holder told: session gone": 10, "holder told: removed": 10,
		"holder told: evicted": 5, "holder told: closed": 10,
		"stray removed": 2, "told whom it waits for": 100,
	}
	for _, act := range simActs {
		least[act.name] = 30
	}
	for _, fault := range []string{
		"request lost", "answer lost", "call refused", "call hangs", "request late", "answer slow", "woken early", "renewal spoilt",
	} {
		least[fault] = 100
	}
	for _, what := range slices.Sorted(maps.Keys(least)) {
		if reached[what] < least[what] {
			t.Errorf("%q was reached %d times, want at least %d", what, reached[what], least[what])
		}
	}
}

// summary is what the runs have reached, in one line.
func summary(runs int, reached map[string]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d schedules:", runs)
	for _, what := range slices.Sorted(maps.Keys(reached)) {
		fmt.Fprintf(&b, " %s %d,", what, reached[what])
	}
	return strings.TrimSuffix(b.String(), ",")
}
