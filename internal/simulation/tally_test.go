package simulation_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// tally counts what a run has reached.
func tally(out simOutcome) history.Tally {
	n := maps.Clone(out.counts)
	n.Count(out.events)
	return n
}

// wantReached checks that the schedules got everywhere: a simulation that never
// reaches a state proves nothing about it.
func wantReached(t *testing.T, reached history.Tally) {
	t.Helper()
	least := map[string]int{
		history.Granted: 10_000, history.PassedOn: 1_000, history.TakenAgain: 200, history.LateRefused: 1_000, history.TakenAway: 50,
		"try was busy": 200, "gave up": 500, "gave up at the grant": 20, "verified": 500,
		history.LostBy(history.ByExpiry): 5, history.LostBy(history.BySession): 10, history.LostBy(history.ByRemoval): 10,
		history.LostBy(history.ByEvictor): 5, history.LostBy(history.ByClose): 10,
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
