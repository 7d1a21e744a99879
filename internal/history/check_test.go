package history_test

import (
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

const ms = time.Millisecond

// at stamps an event.
func at(t time.Duration, e history.Event) history.Event {
	e.At = t
	return e
}

func start(client string) history.Event {
	return history.Event{
		Kind: history.Start, Client: client, TTL: time.Second,
		Passing: &history.Passing{Grants: 2, Time: 10 * ms},
	}
}

// of returns an event of a hold of the lock x. The client is the hold's first letter.
func of(kind history.Kind, hold string) history.Event {
	return history.Event{Kind: kind, Client: hold[:1], Hold: hold, Name: "x"}
}

func grant(hold, place string, token uint64) history.Event {
	e := of(history.Grant, hold)
	e.Place, e.Token = place, token
	return e
}

func because(why string, e history.Event) history.Event {
	e.Why = why
	return e
}

func until(t time.Duration, e history.Event) history.Event {
	e.Until = t
	return e
}

// in returns an event of a place in the line of x.
func in(kind history.Kind, place string) history.Event {
	return history.Event{Kind: kind, Place: place, Name: "x", Client: place[:1]}
}

func about(kind history.Kind, client string) history.Event {
	return history.Event{Kind: kind, Client: client}
}

func write(kind history.Kind, hold string, token uint64) history.Event {
	return history.Event{Kind: kind, Hold: hold, Name: "x", Token: token}
}

// good is a history in which nothing is wrong: a holds, b waits, a hands over.
func good() []history.Event {
	return []history.Event{
		at(0, start("a")),
		at(0, start("b")),
		at(10*ms, of(history.Ask, "a1")),
		at(11*ms, in(history.Stood, "aP")),
		at(12*ms, grant("a1", "aP", 256)),
		at(13*ms, of(history.Ask, "b1")),
		at(14*ms, in(history.Stood, "bP")),
		at(15*ms, write(history.Accept, "a1", 256)),
		at(16*ms, of(history.Held, "a1")),
		at(20*ms, of(history.Release, "a1")),
		at(21*ms, in(history.Freed, "aP")),
		at(22*ms, grant("b1", "bP", 512)),
		at(23*ms, of(history.Released, "a1")),
		at(24*ms, write(history.Reject, "a1", 256)),
		at(25*ms, write(history.Accept, "b1", 512)),
		at(30*ms, until(100*ms, history.Event{Kind: history.Calm})),
		at(40*ms, of(history.Release, "b1")),
		at(41*ms, in(history.Freed, "bP")),
		at(42*ms, of(history.Released, "b1")),
		at(50*ms, until(60*ms, about(history.Close, "a"))),
		at(51*ms, about(history.Closed, "a")),
	}
}

// with is the good history with these events in their places.
func with(more ...history.Event) []history.Event { return and(good(), more...) }

// without is the good history without the events of this kind about these, a hold, a
// place or a client.
func without(events []history.Event, kind history.Kind, what string) []history.Event {
	return slices.DeleteFunc(events, func(e history.Event) bool {
		return e.Kind == kind && (e.Hold == what || e.Place == what || e.Client == what)
	})
}

func TestGoodHistory(t *testing.T) {
	t.Parallel()
	for _, v := range history.Check(good()) {
		t.Error(v)
	}
	if v := history.Check(nil); len(v) > 0 {
		t.Error("the empty history:", v)
	}
}

// Each rule finds the histories that break it, and says so in its name.
func TestRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events []history.Event
		rule   string // "" when nothing is wrong
	}{
		{"granted twice", with(at(13*ms, grant("a1", "aP", 257))), "sound"},
		{"granted and refused", with(at(13*ms, of(history.Refuse, "a1"))), "sound"},
		{"released without a grant", with(at(13*ms, of(history.Release, "c1"))), "sound"},
		{"back in time", append(good(), at(ms, start("c"))), "sound"},

		{
			"two believe", with(
				at(17*ms, grant("c1", "cP", 300)), at(15*ms, in(history.Stood, "cP")),
				at(18*ms, of(history.Release, "c1")),
			), "exclusive",
		},
		{
			"told, but goes on", append(without(good(), history.Release, "a1"),
				at(60*ms, of(history.Held, "a1"))), "exclusive",
		},
		{
			"stopped, sees the loss first", stopped(at(32*ms, because(history.ByExpiry, of(history.Lost, "a1")))), "",
		},
		{
			"stopped, believes on", stopped(at(32*ms, of(history.Held, "a1"))), "exclusive",
		},
		{
			"stopped, holds on, nobody came", []history.Event{
				at(0, of(history.Ask, "a1")), at(1, grant("a1", "aP", 256)),
				at(2, about(history.Stop, "a")), at(3, about(history.Resume, "a")), at(4, of(history.Held, "a1")),
			}, "",
		},
		{
			"two on a place that was taken away", []history.Event{
				at(0, of(history.Ask, "a1")), at(0, of(history.Ask, "a2")), at(1, grant("a1", "aP", 256)),
				at(2, until(9, in(history.Broken, "aP"))),
				at(3, grant("a2", "aP", 257)), at(4, of(history.Release, "a1")), at(5, of(history.Release, "a2")),
			}, "exclusive",
		},

		{"granted before it stands", with(at(11*ms-1, of(history.Ask, "c1")), at(11*ms-1, grant("c1", "cP", 100)), at(11*ms-1, of(history.Release, "c1"))), "standing"},
		{"freed under the holder", with(at(19*ms, in(history.Freed, "aP"))), "standing"},

		{"told a guard before", expired(100 * ms), ""},
		{"told too late", expired(98 * ms), "guarded"},
		{"told too late, but had released", and(expired(98*ms), at(21*ms, of(history.Release, "a1"))), ""},
		{"told too late, but was stopped", and(expired(98*ms), at(15*ms, about(history.Stop, "a")), at(16*ms, about(history.Resume, "a")), at(16*ms, of(history.Held, "a1"))), ""},

		{"taken away, told in time", broken(30 * ms), ""},
		{"taken away, told late", broken(18 * ms), "told"},

		{"said to be removed, and stands", lost(history.ByRemoval), "true losses"},
		{"said to be without a session, and stands", lost(history.BySession), "true losses"},
		{"said to be evicted, and was not", lost(history.ByEvictor), "true losses"},
		{"evicted", and(lost(history.ByEvictor), at(18*ms, in(history.Evict, "aP"))), ""},
		{"release said to be too late", released(history.ByRemoval), "true losses"},

		{"equal tokens", tokens(256, 256), "tokens"},
		{"smaller token", tokens(256, 255), "tokens"},
		{"no token after one", tokens(256, 0), "tokens"},
		{"no tokens", tokens(0, 0), ""},
		{
			"learned late of a place that was taken away", []history.Event{
				at(1, in(history.Stood, "aP")), at(2, until(50, in(history.Broken, "aP"))), at(2, in(history.Freed, "aP")),
				at(3, in(history.Stood, "bP")), at(4, grant("b1", "bP", 512)), at(5, of(history.Release, "b1")), at(5, in(history.Freed, "bP")),
				at(6, grant("a1", "aP", 256)), at(7, of(history.Release, "a1")),
			}, "",
		},

		{"a late write is taken", with(at(26*ms, write(history.Accept, "a1", 256))), "register"},
		{"the holder's write is refused", with(at(26*ms, write(history.Reject, "b1", 512))), "register"},

		{"passed twice in time", passed(2, 10*ms), ""},
		{"passed too often", passed(3, 10*ms), "fair"},
		{"passed for too long", passed(2, 10*ms+200*time.Microsecond), "fair"},
		{
			"passed by a later one", []history.Event{
				at(1, in(history.Stood, "aP")), at(2, in(history.Stood, "bP")),
				at(3, grant("b1", "bP", 512)), at(4, of(history.Release, "b1")), at(4, in(history.Freed, "bP")),
				at(5, grant("a1", "aP", 256)), at(6, of(history.Release, "a1")),
			}, "fair",
		},

		{"a Lock that never returns", with(at(17*ms, of(history.Ask, "c1"))), "ends"},
		{"a Lock that returns late", append(with(at(17*ms, of(history.Ask, "c1"))), at(131*ms, of(history.Refuse, "c1"))), "ends"},
		{"a Lock that returns in time", append(with(at(17*ms, of(history.Ask, "c1"))), at(130*ms, of(history.Refuse, "c1"))), ""},
		{"a Lock of a process that was killed", with(at(17*ms, of(history.Ask, "c1")), at(18*ms, about(history.Stop, "c"))), ""},
		{"a Release that never returns", without(good(), history.Released, "b1"), "ends"},

		{"gives up promptly", and(gaveUp(50*ms), at(5*ms, of(history.GiveUp, "a1"))), ""},
		{"gives up late", gaveUp(51 * ms), "gives up"},
		{"gives up late, but was stopped", and(gaveUp(51*ms), at(20*ms, about(history.Stop, "a")), at(21*ms, about(history.Resume, "a"))), ""},
		{"gives up a release late", and(good(), at(40*ms, of(history.GiveUp, "b1")), at(99*ms, start("z"))), ""},
		{"gives up a release for ever", and(without(good(), history.Released, "b1"), at(40*ms, of(history.GiveUp, "b1")), at(99*ms, start("z"))), "gives up"},

		{"busy", tried(15 * ms), ""},
		{"busy, and nobody there", tried(45 * ms), "busy"},
		{"busy, by another of the process", and(tried(45*ms), at(44*ms, of(history.Ask, "c2")), at(46*ms, of(history.Refuse, "c2"))), ""},
		{"busy, by one who does not know yet", and(broken(30*ms), at(19*ms, of(history.Ask, "a9")), at(20*ms, because(history.Busy, of(history.Refuse, "a9")))), ""},

		{"patient, and refused", append(good(), at(60*ms, because(history.Patient, of(history.Ask, "b2"))), at(61*ms, because("no", of(history.Refuse, "b2")))), "granted when calm"},
		{"patient in a storm", with(at(17*ms, because(history.Patient, of(history.Ask, "b2"))), at(61*ms, of(history.Refuse, "b2"))), ""},

		{"never closed", without(good(), history.Closed, "a"), "closed"},
		{"closed late", append(without(good(), history.Closed, "a"), at(61*ms, about(history.Closed, "a"))), "closed"},
		{"closed, and leaves a place", with(at(45*ms, in(history.Stood, "aQ"))), "closed"},

		{"left", append(good(), at(60*ms, in(history.Left, "aQ"))), "nothing left"},

		// What was learned later than it happened.
		{"told late, sure before only", learned(history.Lost, 20*ms, lostLate()), ""},
		{"told late, and sure", learned(history.Lost, 23*ms, lostLate()), "standing"},
		{"told late, two sure", learned(history.Lost, 23*ms, lostLate()), "exclusive"},
		{"told too late, and sure", learned(history.Lost, 20*ms, expired(80*ms)), "guarded"},
		{"told too late, but sure a guard before only", learned(history.Lost, 1*ms, expired(80*ms)), ""},
		{"gone, and seen later", learned(history.Freed, 19*ms, lost(history.ByRemoval)), ""},
		{"gone after it was told", learned(history.Freed, 21*ms, lost(history.ByRemoval)), "true losses"},
		{"release too late, and seen later", learned(history.Freed, 19*ms, released(history.ByRemoval)), ""},
		{"closed, and seen later to leave nothing", closedLate(46 * ms), ""},
		{"closed, and leaves a place for a while", closedLate(52 * ms), "closed"},
		{"taken away before it was known to be granted", learned(history.Broken, 10*ms, brokenLate(12*ms)), ""},
		{"taken away when the next was granted", learned(history.Broken, 14*ms, brokenLate(12*ms)), ""},
		{"taken away when the next held", learned(history.Broken, 19*ms, brokenLate(12*ms)), "exclusive"},
		{"granted when, with a smaller token", learned(history.Broken, 10*ms, brokenLate(15*ms)), ""},
		{"granted after the next, with a smaller token", learned(history.Broken, 16*ms, brokenLate(15*ms)), "tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := history.Check(tt.events)
			var rules []string
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
