package checkup

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/waitgraph"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// holds is a place that has held for that long.
func holds(owner string, long time.Duration) holdgate.Place {
	return holdgate.Place{
		ID: owner + "-place", Session: owner + "-session", Owner: owner, TTL: 20 * time.Second,
		Kind: driver.KindMutex, Units: 1, Capacity: 1, Granted: true, Since: noon.Add(-long),
	}
}

func waits(owner string) holdgate.Place {
	p := holds(owner, 0)
	p.Granted, p.Since = false, time.Time{}
	return p
}

// as is the place with a change.
func as(p holdgate.Place, change func(*holdgate.Place)) holdgate.Place {
	change(&p)
	return p
}

func line(name string, places ...holdgate.Place) holdgate.Line {
	return holdgate.Line{Name: name, Places: places}
}

// text is all that is said of findings.
func text(findings []Finding) string {
	var rows []string
	for _, f := range findings {
		rows = append(rows, f.Rows()...)
	}
	return strings.Join(rows, "\n")
}

func TestLines(t *testing.T) {
	t.Parallel()
	elects := func(p *holdgate.Place) { p.Kind = driver.KindElection }
	other := func(p *holdgate.Place) { *p = holdgate.Place{ID: "lock.pid", Foreign: true, Granted: true} }
	permits := func(p *holdgate.Place) { p.Kind, p.Capacity = driver.KindSemaphore, 4 }
	for _, c := range []struct {
		name string
		line holdgate.Line
		want []string // what is said, the problem first; none when all is well
	}{
		{"held for long, and nobody waits", line("x", holds("ann", time.Hour)), nil},
		{"held, and others wait", line("x", holds("ann", time.Minute), waits("bob")), nil},
		{
			"held for long, and others wait", line("x", holds("ann", time.Hour), waits("bob"), waits("eve")),
			[]string{"stuck\n", "x is held by ann for 1h00m, and 2 wait", "$ holdgate evict x ann-place --reason stuck # asks it to go"},
		},
		{
			"the one who has held for longest",
			line("x", as(holds("ann", time.Hour), permits), as(holds("bob", 2*time.Hour), permits), as(waits("eve"), permits)),
			[]string{"stuck\n", "held by bob"},
		},
		{"it is not known since when", line("x", as(holds("ann", 0), func(p *holdgate.Place) { p.Since = time.Time{} }), waits("bob")), nil},
		{
			"it was asked to go",
			line("x", as(holds("ann", time.Hour), func(p *holdgate.Place) { p.Eviction = &holdgate.Eviction{By: "eve", Reason: "now"} }), waits("bob")),
			[]string{"stuck\n", "asked to go by eve, and has not yet: now", "--force"},
		},
		{"who leads may", line("x", as(holds("ann", time.Hour), elects), as(waits("bob"), elects)), nil},
		{"of more is known", line("known", holds("ann", time.Hour), waits("bob")), nil},
		{"other software", line("x", as(holds("", 0), other)), []string{"foreign (nothing is wrong)\n", "has a place in x: lock.pid\n"}},
		{"behind other software", line("x", as(holds("", 0), other), waits("bob")), []string{"foreign\n", "lock.pid, and 1 wait behind it"}},
		{
			"two kinds", line("x", holds("ann", 0), as(waits("bob"), permits)),
			[]string{"mismatch\n", "x is a mutex for ann, and a semaphore of 4 for bob"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Lines([]holdgate.Line{c.line}, noon, 10*time.Minute, []string{"known"})
			if len(c.want) == 0 && len(got) > 0 || len(c.want) > 0 && len(got) != 1 {
				t.Fatalf("found %d:\n%s", len(got), text(got))
			}
			for i, want := range c.want {
				if said := text(got); !strings.Contains(said, want) || i == 0 && !strings.HasPrefix(said, want) {
					t.Errorf("%q is not said:\n%s", want, said)
				}
			}
		})
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	lines := []holdgate.Line{
		line("x", holds("ann", 0), waits("bob")), line("y", waits("ann")),
		line("z", holdgate.Place{ID: "lock.pid", Foreign: true}),
	}
	all := Sessions(lines)
	if len(all) != 2 || all[0].ID != "ann-session" || len(all[0].Places) != 2 || all[0].Places[1].Name != "y" {
		t.Fatalf("got %+v", all)
	}
	for _, c := range []struct {
		silent time.Duration
		ttl    time.Duration
		orphan *show.Orphan
		want   string
	}{
		{5 * time.Second, 20 * time.Second, nil, ""},
		{11 * time.Second, 20 * time.Second, nil, "overdue\n  the session of ann, which has x and 1 more: not renewed for 11s, of a TTL of 20s"},
		{time.Hour, 0, nil, ""}, // it does not expire by time
		{0, 0, &show.Orphan{PID: 7, KeptBy: []int{8}}, "orphan\n  the session of ann, which has x and 1 more: process 7, which took it, has ended"},
	} {
		s := *all[0]
		s.Silent, s.TTL, s.Orphan = c.silent, c.ttl, c.orphan
		got := s.Judge()
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(text(got), c.want)) {
			t.Errorf("silent for %v of %v: %q, want %q", c.silent, c.ttl, text(got), c.want)
		}
	}
}

func TestDeadlocks(t *testing.T) {
	t.Parallel()
	inside := func(id string) func(*holdgate.Place) { return func(p *holdgate.Place) { p.ID, p.Under = p.ID+"2", id } }
	plain := []holdgate.Line{
		line("x", holds("ann", 0), as(waits("bob"), inside(""))), line("y", holds("bob", 0), as(waits("ann"), inside(""))),
	}
	got := Deadlocks(plain, waitgraph.Find(plain))
	want := "possible deadlock\n  ann holds x, and waits for y\n  bob holds y, and waits for x\n"
	if len(got) != 1 || !strings.HasPrefix(text(got), want) || !slices.Equal(got[0].Names, []string{"y", "x"}) {
		t.Fatalf("got %s", text(got))
	}
	if at := got[0].Places[1]; at.Name != "y" || at.ID != "ann-place2" || at.Position != 2 {
		t.Errorf("the place that waits is %+v", at)
	}
	told := []holdgate.Line{
		line("x", holds("ann", 0), as(waits("eve"), inside("bob-place"))), line("y", holds("bob", 0), as(waits("joe"), inside("ann-place"))),
	}
	want = "deadlock\n  ann holds x, and inside of that joe waits for y\n  bob holds y, and inside of that eve waits for x\n"
	said := text(Deadlocks(told, waitgraph.Find(told)))
	if !strings.HasPrefix(said, want) || !strings.Contains(said, "$ holdgate evict y joe-place2 --reason deadlock # ends one of these waits, at once") {
		t.Errorf("got %s", said)
	}
	one := []holdgate.Line{
		line("x", as(holds("ann", 0), func(p *holdgate.Place) { p.ID, p.Under = "px", "py" })),
		line("y", as(holds("ann", 0), func(p *holdgate.Place) { p.ID, p.Under = "py", "px" })),
	}
	said = text(Deadlocks(one, waitgraph.Find(one)))
	if !strings.Contains(said, "ann holds x, and waits for y, which another one of its process has") || !strings.Contains(said, "# asks one of the holders to go") {
		t.Errorf("got %s", said)
	}
}
