package zkdriver

import (
	"bytes"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// ownPlaces are the places of one session, as far as its process knows. Every ID is here
// from before a node is first asked for, until it is known that none stands: only this
// session makes nodes for it.
type ownPlaces struct {
	mu    sync.Mutex
	byID  map[string]*ownPlace
	turns map[string]*turn
}

// ownPlace is one of them. But for ahead it is changed only by operations that have its
// turn.
type ownPlace struct {
	line, id string
	// node is the path of its node, empty as long as that is not known: an answer was
	// lost, or has not come yet.
	node string
	// lowered says that another node tells its units.
	lowered bool
	// ahead is who was in its way when the line was read last. That stays true: nobody joins
	// ahead.
	ahead obstacle
	// place is what is known of it without reading: it is complete, but for a mark, once
	// node is known.
	place driver.Place
}

// obstacle is the last place in the way of another one in a line of capacity 1.
type obstacle struct {
	node   string // its path; empty: not known
	beyond string // that of who is in its own way; empty: nobody is
}

// turn lets operations on one ID run one after the other. The requests of an operation that
// its caller gave up are answered before the next one begins, so that no late request
// makes a node after a Leave, and no second attempt a second one.
type turn struct {
	sync.Mutex
	users int
}

func newOwnPlaces() *ownPlaces {
	return &ownPlaces{byID: make(map[string]*ownPlace), turns: make(map[string]*turn)}
}

// take waits for the turn of an ID. The function that it returns ends the turn.
func (o *ownPlaces) take(id string) (done func()) {
	o.mu.Lock()
	t := o.turns[id]
	if t == nil {
		t = new(turn)
		o.turns[id] = t
	}
	t.users++
	o.mu.Unlock()
	t.Lock()
	return func() {
		t.Unlock()
		o.mu.Lock()
		defer o.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(o.turns, id)
		}
	}
}

// find returns a place, or nil.
func (o *ownPlaces) find(line, id string) *ownPlace {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.byID[id]; p != nil && p.line == line {
		p := *p
		p.place.Data = bytes.Clone(p.place.Data) // what is returned is the caller's
		return &p
	}
	return nil
}

// put notes what is known of a place.
func (o *ownPlaces) put(p ownPlace) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.place.Data, p.place.Eviction = bytes.Clone(p.place.Data), nil
	o.byID[p.id] = &p
}

// behind notes who is in the way of a place that stands.
func (o *ownPlaces) behind(line, id string, ahead obstacle) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.byID[id]; p != nil && p.line == line {
		p.ahead = ahead
	}
}

// forget notes that no node stands for an ID.
func (o *ownPlaces) forget(line, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.byID[id]; p != nil && p.line == line {
		delete(o.byID, id)
	}
}

// all returns all places.
func (o *ownPlaces) all() []ownPlace {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]ownPlace, 0, len(o.byID))
	for _, p := range o.byID {
		all = append(all, *p)
	}
	return all
}
