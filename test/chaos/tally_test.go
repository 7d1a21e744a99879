package chaos

import (
	"maps"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// tally counts what a run has reached.
func (o outcome) tally() history.Tally {
	n := maps.Clone(o.counts)
	n.Count(o.events)
	n["events"], n["silences of the store"] = len(o.events), len(o.silences)
	if k := o.plan.kind; k.judge != nil {
		n[twoBelieved] = countOf("exclusive", history.Check(o.events))
	}
	return n
}

// twoBelieved is how often two believed, of a store that does not exclude that.
const twoBelieved = "two believed at once"

func countOf(rule string, violations []history.Violation) (n int) {
	for _, v := range violations {
		if v.Rule == rule {
			n++
		}
	}
	return n
}

// wantReached checks that some runs together got everywhere: a storm that never reaches a
// state proves nothing about it.
func wantReached(t *testing.T, k *kind, reached history.Tally) {
	t.Helper()
	want := append([]string{history.Granted, history.LateRefused, history.LostBy("killed")}, k.reaches...)
	for _, f := range k.faults {
		want = append(want, f.name)
		if reached[f.name] == reached[f.name+", in vain"] {
			t.Errorf("%q was always in vain", f.name)
		}
	}
	for _, what := range want {
		if reached[what] == 0 {
			t.Errorf("%q was never reached", what)
		}
	}
}

// reachesAll is what a store that is watched reaches besides.
func reachesAll() []string {
	return []string{history.PassedOn, history.TakenAway, history.LostBy(history.ByExpiry), history.LostBy(history.BySession)}
}
