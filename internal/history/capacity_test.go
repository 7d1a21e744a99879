package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// units is an event about so much of a lock of which there are four.
func units(n int64, e history.Event) history.Event {
	e.Units, e.Capacity = n, 4
	return e
}

// stood is a place that has entered the line with this order.
func stood(place string, order uint64) history.Event {
	e := in(history.Stood, place)
	e.Token = order
	return e
}

// sharing is a history of a semaphore: a takes one of four, b two, and c waits for four until
// both have given back.
func sharing() []history.Event {
	return []history.Event{
		at(1*ms, units(1, stood("aP", 10))), at(2*ms, units(2, stood("bP", 20))), at(3*ms, units(4, stood("cP", 30))),
		at(5*ms, units(2, grant("b1", "bP", 20))),
		at(6*ms, units(1, grant("a1", "aP", 10))), // learned later, and granted before
		at(10*ms, of(history.Release, "a1")), at(11*ms, in(history.Freed, "aP")),
		at(20*ms, of(history.Release, "b1")), at(21*ms, in(history.Freed, "bP")),
		at(22*ms, units(4, grant("c1", "cP", 30))),
		at(30*ms, of(history.Release, "c1")), at(31*ms, in(history.Freed, "cP")),
	}
}

// downgraded is sharing, but c comes to take only one at this moment, and d waits for one.
func downgraded(lowered time.Duration) []history.Event {
	return and(sharing(),
		at(lowered, units(1, of(history.Lowered, "c1"))), at(lowered+1, units(1, in(history.Lowered, "cP"))),
		at(23*ms, units(1, stood("dP", 40))), at(25*ms, units(1, grant("d1", "dP", 40))), at(35*ms, of(history.Release, "d1")),
	)
}

// joined is a history in which so many readers of a share a place, one every so often; a may
// have it joined 4 times, for 10 ms.
func joined(times int, every time.Duration) []history.Event {
	a := start("a")
	a.Passing = &history.Passing{Grants: 4, Time: 10 * ms}
	events := []history.Event{at(0, a), at(1*ms, units(1, stood("aP", 10)))}
	for i := range times {
		hold, from := fmt.Sprint("a", i), 2*ms+time.Duration(i)*every
		events = append(events, at(from, units(1, grant(hold, "aP", uint64(10+i)))), at(50*ms, of(history.Release, hold)))
	}
	return history.Merge(events, []history.Event{at(51*ms, in(history.Freed, "aP"))})
}

// together is a history whose holds of a2 waited for other names too.
func together(events []history.Event) []history.Event {
	for i := range events {
		if e := &events[i]; e.Hold == "a2" && e.Kind == history.Grant {
			e.Why = history.Together
		}
	}
	return events
}

func TestSharedRules(t *testing.T) {
	t.Parallel()
	saw := func(term uint64) history.Event {
		return history.Event{Kind: history.Saw, Hold: "w", Name: "x", Token: term}
	}
	tests := []struct {
		name   string
		events []history.Event
		rule   string // "" when nothing is wrong
	}{
		{"shared", sharing(), ""},
		{"too many believe", and(sharing(), at(4*ms, units(2, stood("dP", 40))), at(5*ms, units(2, grant("d1", "dP", 40))), at(9*ms, of(history.Release, "d1"))), "capacity"},
		{
			"a writer beside a reader", []history.Event{
				at(1, units(4, grant("a1", "aP", 10))), at(2, units(1, grant("b1", "bP", 20))),
				at(3, of(history.Release, "a1")), at(4, of(history.Release, "b1")),
			}, "capacity",
		},
		{
			"beside one whose place was taken away", []history.Event{
				at(1, units(4, grant("a1", "aP", 10))), at(2, until(9, in(history.Broken, "aP"))),
				at(3, units(1, grant("b1", "bP", 20))), at(4, of(history.Release, "a1")), at(5, of(history.Release, "b1")),
			}, "",
		},
		{"as many as there are", and(sharing(), at(1*ms, units(1, stood("dP", 25))), at(5*ms, units(1, grant("d1", "dP", 25))), at(9*ms, of(history.Release, "d1")), at(9*ms, in(history.Freed, "dP"))), ""},
		{"passes a big request", and(sharing(), at(4*ms, units(1, stood("dP", 40))), at(5*ms, units(1, grant("d1", "dP", 40))), at(9*ms, of(history.Release, "d1")), at(9*ms, in(history.Freed, "dP"))), "fits"},
		{"granted while one ahead stands", and(sharing(), at(0, units(1, stood("dP", 5))), at(40*ms, in(history.Freed, "dP"))), "fits"},
		{"downgraded", downgraded(24 * ms), ""},
		{"downgraded later", downgraded(26 * ms), "capacity"},
		{"equal tokens of readers", and(sharing(), at(1*ms, units(1, stood("dP", 9))), at(4*ms, units(1, grant("d1", "dP", 10))), at(5*ms, of(history.Release, "d1")), at(5*ms, in(history.Freed, "dP"))), "distinct"},
		{"smaller token of a writer", and(sharing(), at(34*ms, units(4, grant("d1", "dP", 29))), at(35*ms, of(history.Release, "d1")), at(34*ms, units(4, stood("dP", 29)))), "tokens"},
		{"passed for long, it seems, since others were waited for", together(passed(2, 40*ms)), ""},
		{"joined", joined(3, 2*ms), ""},
		{"joined too often", joined(5, 1*ms), "joined"},
		{"joined for too long", joined(3, 6*ms), "joined"},
		{"terms", []history.Event{at(1, saw(5)), at(2, saw(0)), at(3, saw(5)), at(4, saw(7))}, ""},
		{"an earlier term", []history.Event{at(1, saw(7)), at(2, saw(0)), at(3, saw(5))}, "terms"},
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
