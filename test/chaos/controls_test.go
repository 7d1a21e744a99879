package chaos

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// controlRuns bounds how many runs may pass before a mistake is found.
const controlRuns = 5

// TestControls plants one mistake at a time in the client processes, and wants the judges
// to find it on each store: a check that has never failed proves nothing.
func TestControls(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			for _, k := range chosen(t) {
				if !m.shownBy(k) || !full() && k.name != m.quickly {
					continue // make chaos does the others
				}
				t.Run(k.name, func(t *testing.T) { m.mustShow(t, k) })
			}
		})
	}
}

// mustShow makes runs until the mistake is found.
func (m mutant) mustShow(t *testing.T, k *kind) {
	t.Helper()
	client := build(t, "-overlay", m.overlay(t, k))
	for seed := uint64(1); seed <= controlRuns; seed++ {
		if m.shows(t, k, seed, client) {
			return
		}
	}
	t.Errorf("%d runs do not show the mistake by the rules %q", controlRuns, m.rules)
}

// shows makes one run, and reports whether the mistake was found in it.
func (m mutant) shows(t *testing.T, k *kind, seed uint64, client string) (found bool) {
	t.Helper()
	t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
		begun := time.Now()
		out := carryOut(t, m.plan(k, seed), client)
		v := out.verdict()
		t.Logf("%v: %q; %v", time.Since(begun).Round(time.Millisecond), v.rules(), out.tally())
		found = slices.ContainsFunc(m.rules, func(rule string) bool { return slices.Contains(v.rules(), rule) })
		if !found && seed == controlRuns {
			t.Logf("what was seen: %s", out.keep(t, v))
		}
	})
	return found
}

// controlStorm is how long things go wrong in the run of a control, where sessions are as long
// as etcd's.
const controlStorm = 6 * time.Second

// plan is one for the mistake.
func (m mutant) plan(k *kind, seed uint64) plan {
	var some []fault
	for _, f := range k.faults {
		if slices.Contains(m.faults, f.name) {
			if m.lasts != nil {
				f.lasts = m.lasts
			}
			some = append(some, f)
		}
	}
	return newPlan(k, seed, controlStorm+3*k.longer, some, m.tune)
}
