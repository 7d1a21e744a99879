package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// tally counts what a run has reached.
func (o outcome) tally() map[string]int {
	n := maps.Clone(o.counts)
	n["events"], n["silences of the store"] = len(o.events), len(o.silences)
	places := make(map[string]int)
	for _, e := range o.events {
		switch e.Kind {
		case history.Grant:
			n["granted"]++
			if places[e.Place]++; places[e.Place] > 1 {
				n["passed on locally"]++
			}
		case history.Lost:
			n["lost: "+e.Why]++
		case history.Reject:
			n["late write refused"]++
		case history.Broken:
			n["place taken away"]++
		}
	}
	return n
}

func add(sum, more map[string]int) {
	for what, n := range more {
		sum[what] += n
	}
}

// wantReached checks that some runs together got everywhere: a storm that never reaches a
// state proves nothing about it.
func wantReached(t *testing.T, reached map[string]int) {
	t.Helper()
	want := []string{
		"granted", "passed on locally", "late write refused", "place taken away",
		"lost: " + history.ByExpiry, "lost: " + history.BySession, "lost: killed",
	}
	for _, f := range faults() {
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

// summary is a tally in one line.
func summary(n map[string]int) string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, " %s %d,", what, n[what])
	}
	return strings.Trim(b.String(), " ,")
}
