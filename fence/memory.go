package fence

import "github.com/holdgate/holdgate"

// memory is what a gate remembers of names.
//
// With a limit it keeps two generations. A name that is shown moves to the young one;
// when that has grown to half the limit, the old one is forgotten and the young one
// becomes old. So what is forgotten was not shown while half the limit of others were.
//
// Invariant: floor is no smaller than the newest token of any name that was
// forgotten. So an unknown name that is let in with a token of at least floor is never
// let in with one that is older than what was known of it.
type memory struct {
	limit      int
	floor      holdgate.Token
	young, old map[string]*entry
}

// entry is what is remembered of one name.
type entry struct {
	newest holdgate.Token
	calls  map[*call]struct{} // those of Gate.Do that run
	left   chan struct{}      // closed when one of them ends; nil when nobody waits for that
}

// find returns what is known of a name, nil for nothing.
func (m *memory) find(name string) *entry {
	if e := m.young[name]; e != nil {
		return e
	}
	return m.old[name]
}

// admit raises the newest token of a name to that of the pass, or refuses. It tells the
// calls of older tokens that their time is over.
func (m *memory) admit(p Pass) (*entry, *StaleError) {
	e := m.find(p.Name)
	if e == nil {
		if p.Token < m.floor {
			return nil, &StaleError{Name: p.Name, Token: p.Token, Newest: m.floor, Forgotten: true}
		}
		e = &entry{newest: p.Token, calls: make(map[*call]struct{})}
	}
	if p.Token < e.newest {
		return nil, &StaleError{Name: p.Name, Token: p.Token, Newest: e.newest}
	}
	m.keep(p.Name, e)
	if p.Token > e.newest {
		e.newest = p.Token
		for c := range e.calls {
			c.stop(&StaleError{Name: p.Name, Token: c.token, Newest: p.Token})
		}
	}
	return e, nil
}

// keep has a name remembered for longest.
func (m *memory) keep(name string, e *entry) {
	if m.young[name] == e {
		return
	}
	if m.young == nil {
		m.young = make(map[string]*entry)
	}
	delete(m.old, name)
	m.young[name] = e
	if m.limit > 0 && len(m.young) >= m.limit/2 {
		m.age()
	}
}

// age forgets the old generation, but for names with calls that run.
func (m *memory) age() {
	busy := make(map[string]*entry)
	for name, e := range m.old {
		if len(e.calls) > 0 {
			busy[name] = e
			continue
		}
		m.floor = max(m.floor, e.newest)
	}
	m.old, m.young = m.young, busy
}

// occupied reports whether a call of an older token runs.
func (e *entry) occupied() bool {
	for c := range e.calls {
		if c.token != e.newest {
			return true
		}
	}
	return false
}

// changes returns what is closed when the next call ends.
func (e *entry) changes() <-chan struct{} {
	if e.left == nil {
		e.left = make(chan struct{})
	}
	return e.left
}

// changed wakes those who wait for a call to end.
func (e *entry) changed() {
	if e.left != nil {
		close(e.left)
		e.left = nil
	}
}
