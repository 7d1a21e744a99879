package drivertest

import (
	"fmt"
	"slices"
	"testing"
)

// Failure is a case that a driver did not pass.
type Failure struct {
	// Case is its name, Reason why it exists.
	Case   string
	Reason string
	// Messages are what it said.
	Messages []string
}

func (f Failure) String() string { return fmt.Sprintf("%s: %q", f.Case, f.Messages) }

// Failures runs cases as [Run] does, one after the other, and returns those that fail
// instead of failing t: for a suite that must be seen to reject a driver. It runs
// the named cases, or all that apply to the driver when none is named; a named case
// that does not apply fails t.
func Failures(t *testing.T, h Harness, names ...string) []Failure {
	t.Helper()
	s := inspect(t, h)
	applicable := s.applicable()
	for _, name := range names {
		if !slices.ContainsFunc(applicable, func(c testCase) bool { return c.name == name }) {
			t.Errorf("the suite has no case %q for this driver", name)
		}
	}
	var failures []Failure
	for _, c := range applicable {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		s.bubble(t, func(t *testing.T) {
			r := newRecorder(t)
			r.run(func() { c.run(newEnv(r, s)) })
			if r.Failed() {
				failures = append(failures, Failure{Case: c.name, Reason: c.reason, Messages: r.messages})
			}
		})
	}
	return failures
}
