package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Violation is a rule that a history breaks, and where.
type Violation struct {
	Rule string
	At   time.Duration
	Text string
}

func (v Violation) String() string {
	return fmt.Sprintf("%v: %s: %s", v.At, v.Rule, v.Text)
}

// rule is something that every history has to obey.
type rule struct {
	name string
	// breaches calls found for each place where the history does not.
	breaches func(r *run, found report)
}

// report notes a breach.
type report func(at time.Duration, format string, args ...any)

// rules returns all rules; each function says what it asks for.
func rules() []rule {
	return []rule{
		{"sound", sound},
		{"exclusive", exclusive},
		{"capacity", capacity},
		{"fits", fits},
		{"joined", joined},
		{"standing", standing},
		{"guarded", guarded},
		{"told", told},
		{"true losses", trueLosses},
		{"tokens", tokens},
		{"distinct", distinct},
		{"terms", terms},
		{"once", onceOnly},
		{"met", met},
		{"register", register},
		{"fair", fair},
		{"ends", ends},
		{"gives up", givesUp},
		{"busy", busy},
		{"granted when calm", grantedWhenCalm},
		{"closed", closed},
		{"nothing left", nothingLeft},
	}
}

// Check returns every rule that the history breaks, in order of time. The events are
// in order of time too; see [Merge].
func Check(events []Event) []Violation {
	var violations []Violation
	r := newRun(events)
	for _, rule := range rules() {
		rule.breaches(r, func(at time.Duration, format string, args ...any) {
			violations = append(violations, Violation{Rule: rule.name, At: at, Text: fmt.Sprintf(format, args...)})
		})
	}
	slices.SortStableFunc(violations, func(a, b Violation) int { return cmp.Compare(a.At, b.At) })
	return violations
}
