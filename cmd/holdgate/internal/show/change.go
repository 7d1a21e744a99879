package show

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/holdgate/holdgate"
)

// Change is something that became of a place, in JSON too.
type Change struct {
	Time  time.Time  `json:"time"` // when it was seen, here
	Event ChangeKind `json:"event"`
	Name  string     `json:"name"`
	// Initial: it was so when the watch began.
	Initial bool  `json:"initial,omitempty"`
	Place   Place `json:"place"`
	owner   string
}

// ChangeKind says what became of a place.
type ChangeKind string

// What can become of a place. EventLeft says nothing about why: released, lost, evicted or
// given up are the same from outside.
const (
	EventWaits   ChangeKind = "waits"
	EventHolds   ChangeKind = "holds"
	EventEvicted ChangeKind = "evicted" // it was asked to go
	EventLeft    ChangeKind = "left"
)

// String is the change as people read it.
func (c Change) String() string {
	s := fmt.Sprintf("%s  %-7s  %s  %s", c.Time.Local().Format(time.TimeOnly), c.Event, Text(c.Name), c.owner)
	if c.Place.Reason != "" && c.Event != EventLeft {
		s += " (" + Text(c.Place.Reason) + ")"
	}
	switch {
	case c.Event == EventHolds && c.Place.Token != "":
		s += "  token " + c.Place.Token
	case c.Event == EventEvicted && c.Place.Eviction != nil:
		s += fmt.Sprintf("  by %s: %s", Text(c.Place.Eviction.By), Text(c.Place.Eviction.Reason))
	}
	return s
}

// Changes finds out what changed from one snapshot to the next.
type Changes struct {
	lines map[string]holdgate.Line
	begun bool
}

// Next returns what changed, line by line in the order of their names.
func (c *Changes) Next(s holdgate.Snapshot, now time.Time) []Change {
	next := make(map[string]holdgate.Line)
	for _, l := range s.Lines {
		next[l.Name] = l
	}
	if c.lines == nil {
		c.lines = make(map[string]holdgate.Line)
	}
	if s.Full {
		for name := range c.lines {
			if _, there := next[name]; !there {
				next[name] = holdgate.Line{Name: name}
			}
		}
	}
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(next)) {
		for _, change := range between(c.lines[name], next[name]) {
			change.Time, change.Name, change.Initial = now, name, !c.begun
			changes = append(changes, change)
		}
		c.lines[name] = next[name]
		if len(next[name].Places) == 0 {
			delete(c.lines, name)
		}
	}
	c.begun = true
	return changes
}

// between compares two states of a line: first who left, then what became of the others.
func between(before, after holdgate.Line) []Change {
	var changes []Change
	tell := func(kind ChangeKind, p holdgate.Place, i int) {
		changes = append(changes, Change{Event: kind, Place: NewPlace(p, i+1), owner: Owner(p)})
	}
	for i, p := range before.Places {
		if find(after, p.ID) == nil {
			tell(EventLeft, p, i)
		}
	}
	for i, p := range after.Places {
		old := find(before, p.ID)
		switch {
		case p.Granted && (old == nil || !old.Granted):
			tell(EventHolds, p, i)
		case old == nil:
			tell(EventWaits, p, i)
		}
		if p.Eviction != nil && (old == nil || old.Eviction == nil) {
			tell(EventEvicted, p, i)
		}
	}
	return changes
}

func find(l holdgate.Line, id string) *holdgate.Place {
	for i := range l.Places {
		if l.Places[i].ID == id {
			return &l.Places[i]
		}
	}
	return nil
}
