//go:build !race

// The race detector shuffles the order in which goroutines run, on purpose.

package simulation_test

import (
	"reflect"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// One seed is one schedule: a run that is repeated has the same history, to the
// nanosecond, so that a failure that was seen once can be looked at.
//
// Go leaves two things to chance when they happen in the same nanosecond: which ready
// case a select takes, and which of its children a context ends first. The plan
// makes such moments rare: about 2 histories in 1,000 differ. And a machine that is busy
// with other things stops goroutines in the middle, so that another one comes first: then
// many do. A seed that is replayed is run a few times for that reason, and so it is here.
func TestSimulationRepeats(t *testing.T) {
	const some, tries, mayDiffer = 60, 12, 3
	onOneProcessor(t)
	var different []string
	for seed := range uint64(some) {
		runs, parted := [][]history.Event{simulateOrSay(t, seed+1).events}, "the beginning"
		for len(runs) <= tries && parted != "" {
			next := simulateOrSay(t, seed+1).events
			for _, before := range runs {
				if parted = difference(before, next); parted == "" {
					break
				}
			}
			runs = append(runs, next)
		}
		if parted != "" {
			different = append(different, parted)
		}
	}
	if len(different) > mayDiffer {
		t.Errorf("%d of %d histories differ when they are repeated, the first ones after:\n%q", len(different), some, different)
	}
}

// difference returns the event before which two histories part, "" when they do not.
func difference(a, b []history.Event) string {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !reflect.DeepEqual(a[i], b[i]) {
			return a[max(0, i-1)].String()
		}
	}
	return ""
}
