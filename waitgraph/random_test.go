package waitgraph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/waitgraph"
)

// Random lines, judged by trying everything that can happen: what never ends has a cycle, and nothing
// else does.
func TestFindAgainstAll(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 9))
	certain, possible := 0, 0
	for n := range 20_000 {
		lines := randomLines(rng)
		w := newWorld(lines)
		found := waitgraph.Find(lines)
		has := map[bool]bool{}
		for _, c := range found {
			has[c.Certain] = true
			checkCycle(t, lines, c)
		}
		alone, bySession := w.ends(func(i int) string { return w.places[i].ID }), w.ends(func(i int) string { return w.places[i].Session })
		if has[true] == alone {
			t.Fatalf("%d: everything ends: %v, and certain cycles are %q in\n%s", n, alone, told(found), show(lines))
		}
		if len(found) > 0 == (alone && bySession) {
			t.Fatalf("%d: everything ends: %v, and cycles are %q in\n%s", n, bySession, told(found), show(lines))
		}
		if has[true] {
			certain++
		}
		if has[false] {
			possible++
		}
	}
	if certain < 500 || possible < 500 {
		t.Errorf("%d certain and %d possible ones: too few to mean anything", certain, possible)
	}
}

// randomLines are few lines of few places, of few sessions.
func randomLines(rng *rand.Rand) []holdgate.Line {
	var lines []holdgate.Line
	var ids []string
	left := 9
	for n := range 2 + rng.IntN(3) {
		l := driver.Line{Name: string(rune('p' + n))}
		capacity := []int64{1, 1, 2, 3}[rng.IntN(4)]
		var under []string
		for range min(1+rng.IntN(3), left) {
			left--
			session := string(rune('a' + rng.IntN(4)))
			id := fmt.Sprintf("%s@%s%d", session, l.Name, len(l.Places))
			l.Places = append(l.Places, driver.Place{
				ID: id, Session: session, Kind: driver.KindSemaphore, Capacity: capacity, Units: rng.Int64N(capacity + 1),
			})
			// Who is inside of a place came after it, as it is in a process that does one thing
			// after the other.
			inside := ""
			if len(ids) > 0 && rng.IntN(2) == 0 {
				inside = ids[rng.IntN(len(ids))]
			}
			under = append(under, inside)
			ids = append(ids, id)
		}
		lines = append(lines, shown(l, under))
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}

// world is all places of some lines.
type world struct {
	places []holdgate.Place
	line   []string
	inside [][2]int // the first is not given back before the second is
}

func newWorld(lines []holdgate.Line) *world {
	w := &world{}
	for _, l := range lines {
		for _, p := range l.Places {
			w.places = append(w.places, p)
			w.line = append(w.line, l.Name)
		}
	}
	for inner, p := range w.places {
		for outer, q := range w.places {
			if slices.Contains(strings.Fields(p.Under), q.ID) {
				w.inside = append(w.inside, [2]int{outer, inner})
			}
		}
	}
	return w
}

// ends reports whether there is an order in which all places are given back.
func (w *world) ends(who func(i int) string) bool {
	seen := make(map[int]bool)
	var from func(left int) bool
	from = func(left int) bool {
		if left == 0 {
			return true
		}
		if seen[left] {
			return false
		}
		seen[left] = true
		for i := range w.places {
			if left&(1<<i) != 0 && w.mayGo(i, left, who) && from(left&^(1<<i)) {
				return true
			}
		}
		return false
	}
	return from(1<<len(w.places) - 1)
}

// mayGo reports whether a place can be given back now: nobody of its own waits, and nothing is inside
// of it.
func (w *world) mayGo(i, left int, who func(i int) string) bool {
	for _, pair := range w.inside {
		if pair[0] == i && left&(1<<pair[1]) != 0 {
			return false
		}
	}
	for j := range w.places {
		if left&(1<<j) != 0 && who(i) == who(j) && !w.granted(j, left, who) {
			return false
		}
	}
	return true
}

// granted asks the contract whether a place fits behind those of others.
func (w *world) granted(i, left int, who func(i int) string) bool {
	if w.places[i].Granted {
		return true
	}
	var ahead []driver.Place
	for j := range i {
		if left&(1<<j) != 0 && w.line[j] == w.line[i] && who(i) != who(j) {
			ahead = append(ahead, contract(w.places[j]))
		}
	}
	return driver.Fits(ahead, contract(w.places[i]))
}

func contract(p holdgate.Place) driver.Place {
	return driver.Place{Kind: p.Kind, Capacity: p.Capacity, Units: p.Units}
}

// checkCycle checks that each step of a cycle is what the lines say.
func checkCycle(t *testing.T, lines []holdgate.Line, c waitgraph.Cycle) {
	t.Helper()
	for i, s := range c.Steps {
		next := c.Steps[(i+1)%len(c.Steps)]
		at := slices.IndexFunc(lines, func(l holdgate.Line) bool { return l.Name == s.Waits.Name })
		has := func(id string) int {
			return slices.IndexFunc(lines[at].Places, func(p holdgate.Place) bool { return p.ID == id })
		}
		w, h := has(s.Waits.Place.ID), has(next.Holds.Place.ID)
		if next.Holds.Name != s.Waits.Name || h < 0 || h > w || h == w && !s.Waits.Place.Granted {
			t.Fatalf("%+v does not wait for %+v in\n%s", s.Waits, next.Holds, show(lines))
		}
	}
}

func show(lines []holdgate.Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%s:", l.Name)
		for _, p := range l.Places {
			fmt.Fprintf(&b, " %s:%d/%d %v <%s>", p.ID, p.Units, p.Capacity, p.Granted, p.Under)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
