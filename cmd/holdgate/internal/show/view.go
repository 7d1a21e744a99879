package show

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/holdgate/holdgate"
)

// Line is a line in JSON. The names of the fields are a promise, as are their units:
// tokens are decimal strings, durations are seconds, times are RFC 3339.
type Line struct {
	Name   string  `json:"name"`
	Places []Place `json:"places"`
}

// Place is a place in JSON.
type Place struct {
	ID       string `json:"id"`
	Position int    `json:"position"` // 1 is the head of the line
	State    State  `json:"state"`
	Owner    string `json:"owner,omitempty"`
	Session  string `json:"session,omitempty"`
	Foreign  bool   `json:"foreign,omitempty"`

	Kind       string  `json:"kind,omitempty"`
	Units      int64   `json:"units"`
	Capacity   int64   `json:"capacity"`
	TTLSeconds float64 `json:"ttl_seconds,omitempty"` // absent: does not expire by time

	Token  string    `json:"token,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Value  string    `json:"value,omitempty"` // what it tells the others

	// Under are the IDs of places that are not given back before this one is granted or given back.
	Under []string `json:"under,omitempty"`

	Eviction *Eviction `json:"eviction,omitempty"`
	Orphan   *Orphan   `json:"orphan,omitempty"`
}

// State says whether a place holds or waits.
type State string

// The states of a place.
const (
	Holds State = "holds"
	Waits State = "waits"
)

// Eviction is that somebody asked a place to go.
type Eviction struct {
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

// NewLine is the view of a line.
func NewLine(l holdgate.Line, orphans Orphans) Line {
	v := Line{Name: l.Name, Places: make([]Place, 0, len(l.Places))}
	for i, p := range l.Places {
		v.Places = append(v.Places, NewPlace(p, i+1))
		v.Places[i].Orphan = orphans(p)
	}
	return v
}

// NewPlace is the view of a place at this position.
func NewPlace(p holdgate.Place, position int) Place {
	v := Place{
		ID: p.ID, Position: position, State: Waits, Owner: p.Owner, Session: p.Session, Foreign: p.Foreign,
		Kind: string(p.Kind), Units: p.Units, Capacity: p.Capacity, TTLSeconds: p.TTL.Seconds(),
		Since: p.Since, Reason: p.Reason, Value: p.Value,
		Under: strings.Fields(p.Under),
	}
	if p.Granted {
		v.State, v.Token = Holds, tokenText(p.Token)
	}
	if p.Eviction != nil {
		v.Eviction = &Eviction{Reason: p.Eviction.Reason, By: p.Eviction.By}
	}
	return v
}

// tokenText is "" where the store gives no tokens.
func tokenText(t holdgate.Token) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

// Document writes one JSON document for people and programs: indented.
func Document(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Record writes one JSON document of a stream: on one line.
func Record(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
