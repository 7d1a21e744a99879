package holdgate

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Line is a name and who stands in line for it, at one moment.
type Line struct {
	Name string `json:"name"`
	// Places are in order: those that hold come first.
	Places []Place `json:"places"`
}

// Place is one who holds or waits.
type Place struct {
	ID      string        `json:"id"`
	Session string        `json:"session,omitempty"`
	Owner   string        `json:"owner,omitempty"`
	TTL     time.Duration `json:"ttl_ns,omitempty"`

	Kind     driver.Kind `json:"kind,omitempty"`
	Units    int64       `json:"units"`
	Capacity int64       `json:"capacity"`
	// Granted: it holds. The others wait.
	Granted bool `json:"granted"`
	// Foreign: other software made it under the same key.
	Foreign bool `json:"foreign,omitempty"`

	// Token and Since belong to the grant. Since is on the holder's own clock, and
	// known once it has held for over a second.
	Token Token     `json:"token,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// Reason is what the lock is taken for, as its owner says.
	Reason string `json:"reason,omitempty"`
	// Value is what it tells the others: of a candidate, what it campaigns with.
	Value string `json:"value,omitempty"`
	// Under are the IDs of places, with spaces between them, that are not given back before this one
	// is granted or given back: those of the holds that the context of a wait belongs to, and
	// Options.Under. It is told once a wait has lasted for a second, and of at most 8.
	Under string `json:"under,omitempty"`
	// Eviction tells that somebody asked it to go.
	Eviction *Eviction `json:"eviction,omitempty"`
}

// Eviction asks the holder of a place to give it up.
type Eviction struct {
	// Reason is shown to the holder, at most 1 KiB.
	Reason string `json:"reason,omitempty"`
	// By is the owner text of who asked. Client.Evict fills it in.
	By string `json:"by,omitempty"`
	// Force removes the place at once, before its holder can know: until it does, two
	// may believe that they hold.
	Force bool `json:"force,omitempty"`
}

func newLine(l driver.Line) Line {
	line := Line{Name: l.Name, Places: make([]Place, 0, len(l.Places))}
	for _, p := range l.Places {
		line.Places = append(line.Places, newPlace(p))
	}
	return line
}

func newPlace(p driver.Place) Place {
	var n note
	_ = json.Unmarshal(p.Data, &n) // others may write what they like; then it says nothing to us
	place := Place{
		ID: p.ID, Session: p.Session, Owner: p.Owner, TTL: p.TTL,
		Kind: p.Kind, Units: p.Units, Capacity: p.Capacity,
		Granted: p.Granted, Foreign: p.Foreign,
		Token: n.Token, Since: n.Since, Reason: n.Reason, Value: n.Value, Under: n.Under,
	}
	if p.Granted && place.Token == 0 {
		place.Token = newToken(p.Order, 0)
	}
	if p.Eviction != nil {
		place.Eviction = &Eviction{Reason: p.Eviction.Reason, By: p.Eviction.By, Force: p.Eviction.Force}
	}
	return place
}

// who is how the holder is called in a sentence.
func (p Place) who() string {
	switch {
	case p.Foreign:
		return "other software"
	case p.Owner == "":
		return "an unknown owner"
	}
	return fmt.Sprintf("%q", p.Owner)
}
