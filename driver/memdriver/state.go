package memdriver

import (
	"slices"
	"strings"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// state is all that the store knows. It is a plain state machine: it has no lock,
// no goroutine and no clock of its own. [Store] runs every step on it alone, and
// tells it the time first. It keeps the slices it is handed, which the handles have
// copied, and hands out copies.
type state struct {
	now      time.Duration
	lines    map[string]*line // those with a place; an empty one costs nothing
	sessions map[string]*record
	entries  map[string]*entry

	// orders counts the places of all lines. One counter for the whole store lets
	// Order grow along every line without remembering lines that are empty.
	orders uint64
	// writes counts what was written to the KV, for the same reason.
	writes uint64
	// opened counts sessions, so that no ID comes back.
	opened uint64

	deadlines    deadlines
	lineWatches  hub
	entryWatches hub
}

func newState() state {
	return state{
		lines:    make(map[string]*line),
		sessions: make(map[string]*record),
		entries:  make(map[string]*entry),
	}
}

// advance sets the time and ends all whose time has come. It runs before every
// step, so that no step ever sees a place of a session that has expired.
func (st *state) advance(now time.Duration) {
	st.now = now
	for d := st.deadlines.first(); d != nil && d.at <= now; d = st.deadlines.first() {
		d.end()
	}
}

// whole returns the line of this name as a reader sees it.
func (st *state) whole(name string) driver.Line {
	out := driver.Line{Name: name}
	l := st.lines[name]
	if l == nil {
		return out
	}
	out.Places = make([]driver.Place, 0, l.count)
	for p := l.head; p != nil; p = p.behind {
		out.Places = append(out.Places, p.view())
	}
	return out
}

// matching returns the lines that the query covers, sorted by name.
func (st *state) matching(q driver.Query) []driver.Line {
	var lines []driver.Line
	if !q.Prefix {
		if st.lines[q.Name] != nil {
			lines = append(lines, st.whole(q.Name))
		}
		return lines
	}
	for name := range st.lines {
		if q.Matches(name) {
			lines = append(lines, st.whole(name))
		}
	}
	slices.SortFunc(lines, func(a, b driver.Line) int { return strings.Compare(a.Name, b.Name) })
	return lines
}
