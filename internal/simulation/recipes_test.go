package simulation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// recipeSeeds is how many schedules are run unless HOLDGATE_RECIPE_SEEDS says otherwise. They
// are ten times as dear as those of TestSimulation, since more is going on at once, and
// another twenty times with the race detector.
func recipeSeeds() uint64 {
	if raceDetector {
		return 8
	}
	return leastRecipeSeeds
}

// leastRecipeSeeds is how many schedules get everywhere.
const leastRecipeSeeds = 60

// TestRecipes is TestSimulation with every kind of lock: writers and readers, permits, leaders
// with their observers, several taken together.
func TestRecipes(t *testing.T) {
	first, last, tries := uint64(1), fromEnv(t, "HOLDGATE_RECIPE_SEEDS", recipeSeeds()), 1
	if one := fromEnv(t, "HOLDGATE_SEED", 0); one > 0 {
		first, last, tries = one, one, 10 // as replay does
	}
	onOneProcessor(t)
	reached := make(history.Tally)
	for seed := first; seed <= last; seed++ {
		for range tries {
			out := simulate(t, newRecipePlan(seed))
			if len(out.violations) > 0 {
				t.Fatal(reportOf("TestRecipes", out, first == last))
			}
			reached.Add(tallyRecipes(out))
		}
	}
	t.Logf("%d schedules: %v", last-first+1, reached)
	if first == 1 && last >= leastRecipeSeeds {
		wantRecipesReached(t, reached)
	}
}

// reportOf tells what is wrong with a run of a test, and all of it when that was asked for.
func reportOf(test string, out simOutcome, whole bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d violations\n", out.plan.seed, len(out.violations))
	fmt.Fprintf(&b, "replay: HOLDGATE_SEED=%d go test -count=1 -run='^%s$' ./internal/simulation\n", out.plan.seed, test)
	for _, v := range out.violations {
		fmt.Fprintln(&b, v)
	}
	if whole {
		b.WriteString(story(out))
	}
	return b.String()
}

// tallyRecipes counts what a run has reached.
func tallyRecipes(out simOutcome) history.Tally {
	n := tally(out)
	places := make(map[string]bool)
	for _, e := range out.events {
		if e.Kind != history.Grant || e.Units == e.Capacity {
			continue
		}
		n["shared with others"]++
		if places[e.Place] {
			n["joined other readers"]++
		}
		places[e.Place] = true
	}
	return n
}

// wantRecipesReached checks that the schedules got everywhere.
func wantRecipesReached(t *testing.T, reached history.Tally) {
	t.Helper()
	for what, least := range map[string]int{
		history.Granted: 3000, "shared with others": 500, "joined other readers": 50, "downgraded": 100, "proclaimed": 200, "saw a leader": 500,
		"taken together": 50, "released later": 300, "done once": 20, "found done": 30, "met": 50, "try was busy": 50, "gave up": 100,
		history.LostBy(history.ByExpiry): 2, history.LostBy(history.ByRemoval): 2, history.LostBy(history.ByEvictor): 1,
	} {
		if reached[what] < least {
			t.Errorf("%q was reached %d times, want at least %d", what, reached[what], least)
		}
	}
}
