package holdgate

import (
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// lineTable has the local lines that are in use, by name: those in which somebody of
// this process holds or waits.
type lineTable struct {
	mu    sync.Mutex
	lines map[string]*localLine
}

// join returns the local line of the claim's name. Whoever joined parts again: after
// an error, or when the hold was released.
func (t *lineTable) join(c *Client, claim driver.Claim) *localLine {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[claim.Line]
	if l == nil {
		l = newLocalLine(c, claim)
		if t.lines == nil {
			t.lines = make(map[string]*localLine)
		}
		t.lines[claim.Line] = l
	}
	l.users++
	return l
}

// stay keeps a line that its holder is about to leave until it has been given back: who
// wants the lock meanwhile queues there. Whoever stays parts. No line is nil.
func (t *lineTable) stay(l *localLine) {
	if l == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l.users++
}

// stayAt stays at the line of this name, nil when there is none.
func (t *lineTable) stayAt(name string) *localLine {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[name]
	if l != nil {
		l.users++
	}
	return l
}

// part forgets the line when its last user has left.
func (t *lineTable) part(l *localLine) {
	if l == nil {
		return // a place without one
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.users--; l.users == 0 && t.lines[l.claim.Line] == l {
		delete(t.lines, l.claim.Line)
	}
}
