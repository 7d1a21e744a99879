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
// case a select takes, and which of its children a context ends first. And a goroutine that
// is stopped in the middle, as on a busy machine, lets those run first that are ready at the
// same moment. The plan makes such moments rare: about 1 history in 1,000 differs, with ten
// times more to do for the machine than it can, too.
func TestSimulationRepeats(t *testing.T) {
	const some, mayDiffer = 100, 3
	onOneProcessor(t)
	var different []string
	for seed := range uint64(some) {
		first := simulateOrSay(t, seed+1).events
		if parted := difference(first, simulateOrSay(t, seed+1).events); parted != "" {
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
		switch {
		case i < len(a) && i < len(b) && reflect.DeepEqual(a[i], b[i]):
		case i == 0:
			return "the beginning"
		default:
			return a[i-1].String()
		}
	}
	return ""
}
