package chaos

import (
	"os"
	"slices"
	"testing"
	"time"
)

// controlRuns bounds how many runs may pass before a mistake is found.
const controlRuns = 5

// TestControls plants one mistake at a time in the client processes, and wants the judges
// to find it: a check that has never failed proves nothing.
func TestControls(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			if !m.quick && os.Getenv("HOLDGATE_CHAOS_RUNS") == "" {
				t.Skip("with HOLDGATE_CHAOS_RUNS only")
			}
			client := build(t, "-overlay", overlay(t, m.edits))
			for seed := uint64(1); seed <= controlRuns; seed++ {
				begun := time.Now()
				out := carryOut(t, m.plan(seed), client)
				v := out.verdict()
				t.Logf("run %d, %v: %q; %s", seed, time.Since(begun).Round(time.Millisecond), v.rules(), out.summary())
				if slices.Contains(v.rules(), m.rule) {
					return
				}
			}
			t.Errorf("%d runs do not show the mistake by the rule %q", controlRuns, m.rule)
		})
	}
}

// controlStorm is how long things go wrong in the run of a control.
const controlStorm = 6 * time.Second

// plan is one for the mistake.
func (m mutant) plan(seed uint64) plan {
	var some []fault
	for _, f := range faults() {
		if slices.Contains(m.faults, f.name) {
			some = append(some, f)
		}
	}
	p := newPlan(seed, controlStorm, some)
	if m.tune != nil {
		m.tune(&p)
	}
	return p
}
