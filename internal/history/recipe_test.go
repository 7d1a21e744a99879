package history_test

import (
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// doneOnce is a history in which a does x at 5 ms, which is remembered until 50 ms, and b begins it at
// that time.
func doneOnce(again time.Duration) []history.Event {
	return and([]history.Event{
		at(1*ms, in(history.Stood, "aP")), at(2*ms, grant("a1", "aP", 256)), at(2*ms, of(history.Began, "a1")),
		at(4*ms, of(history.Release, "a1")), at(5*ms, until(50*ms, of(history.Done, "a1"))), at(6*ms, in(history.Freed, "aP")),
	}, at(again, of(history.Began, "b1")))
}

// through are parties of a barrier of two that were let through.
func through(places, parties int) []history.Event {
	var events []history.Event
	for n := range places {
		events = append(events, at(1*ms, in(history.Stood, string(rune('a'+n))+"P")))
	}
	for n := range parties {
		e := of(history.Met, string(rune('a'+n))+"1")
		e.Capacity = 2
		events = append(events, at(2*ms, e))
	}
	return events
}

func TestRecipeRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events []history.Event
		rule   string // "" when nothing is wrong
	}{
		{"done again when it is forgotten", doneOnce(50 * ms), ""},
		{"begun before it was done", doneOnce(3 * ms), ""},
		{"done again", doneOnce(49 * ms), "once"},
		{"done by one whose place was taken away", and(doneOnce(49*ms), at(3*ms, until(60*ms, in(history.Broken, "aP")))), ""},
		{"two of two", through(2, 2), ""},
		{"the first of two that have come", through(2, 1), ""},
		{"one of two is let through alone", through(1, 1), "met"},
		{"a third", through(3, 3), "met"},
		{"two rounds", through(4, 4), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var rules []string
			got := history.Check(tt.events)
			for _, v := range got {
				rules = append(rules, v.Rule)
			}
			switch {
			case tt.rule == "" && len(got) > 0:
				t.Errorf("nothing is wrong, found: %v", got)
			case tt.rule != "" && !slices.Contains(rules, tt.rule):
				t.Errorf("the rule %q is broken, found: %v", tt.rule, got)
			}
		})
	}
}
