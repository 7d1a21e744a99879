package chaos

import (
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// A seed is a plan: what happens to one target is one thing after the other, within the
// storm, and only one member is away at a time.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		for seed := range uint64(200) {
			testPlan(t, k, seed)
		}
	}
}

func testPlan(t *testing.T, k *kind, seed uint64) {
	t.Helper()
	const storm = 20 * time.Second
	p := newPlan(k, seed, storm, k.faults, nil)
	if again := newPlan(k, seed, storm, k.faults, nil); p.String() != again.String() {
		t.Fatalf("two plans:\n%v\n%v", p, again)
	}
	if !slices.IsSortedFunc(p.trouble, func(a, b trouble) int { return int(a.from - b.from) }) {
		t.Errorf("the plan is not in order:\n%v", p)
	}
	busy := make(map[string]time.Duration)
	for _, tr := range p.trouble {
		target := "the members"
		if tr.fault.target != onMember {
			target = tr.fault.target.which(tr.on)
		}
		if tr.from < busy[target] || tr.to < tr.from || tr.to > storm {
			t.Errorf("%s at %v to %v:\n%v", tr.fault.name, tr.from, tr.to, p)
		}
		busy[target] = tr.to
	}
}

// What a process still believed when it was killed was certain up to the last time that it
// said so.
func TestDeaths(t *testing.T) {
	t.Parallel()
	l := &life{id: "p", killed: 50}
	of := func(at time.Duration, kind history.Kind, hold string) history.Event {
		return history.Event{At: at, Kind: kind, Hold: hold, Name: "x"}
	}
	got := l.deaths([]history.Event{
		of(20, history.Held, "shown"), of(10, history.Grant, "shown"), of(30, history.Held, "shown"),
		of(11, history.Grant, "granted"),
		of(12, history.Grant, "released"), of(13, history.Held, "released"), of(14, history.Release, "released"),
		of(15, history.Grant, "lost"), of(16, history.Lost, "lost"),
		of(17, history.Ask, "asked"),
	})
	want := map[string]time.Duration{"shown": 30, "granted": 11}
	if len(got) != len(want) {
		t.Fatalf("got %d ends, want %d: %v", len(got), len(want), got)
	}
	for _, e := range got {
		if e.Kind != history.Lost || e.At != 50 || e.Since != want[e.Hold] || e.Name != "x" || e.Client != "p" {
			t.Errorf("got %+v, want that %q was lost at 50, after %d", e, e.Hold, want[e.Hold])
		}
	}
}
