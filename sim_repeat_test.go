//go:build !race

// The race detector shuffles the order in which goroutines run, on purpose.

package holdgate_test

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
// makes such moments rare: about 2 histories in 1,000 differ. A seed that is replayed
// is run a few times for that reason.
func TestSimulationRepeats(t *testing.T) {
	const runs, mayDiffer = 60, 3
	onOneProcessor(t)
	var different []string
	for seed := range uint64(runs) {
		first, second := simulateOrSay(t, seed+1), simulateOrSay(t, seed+1)
		if d := difference(first.events, second.events); d != "" {
			different = append(different, d)
		}
	}
	if len(different) > mayDiffer {
		t.Errorf("%d of %d histories differ when they are repeated, the first ones after:\n%q", len(different), runs, different)
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
