package demo

import (
	"time"

	"github.com/holdgate/holdgate"
)

// Event is what the audience sees, in JSON too.
type Event struct {
	At     float64        `json:"at_seconds"`
	Worker string         `json:"worker"`
	PID    int            `json:"pid"`
	Kind   Kind           `json:"event"`
	Ahead  int            `json:"ahead,omitempty"`
	Token  holdgate.Token `json:"token,omitempty"`
	Value  string         `json:"value,omitempty"`
	// After is how long after the holder before was told to release, or was killed, the
	// lock was granted.
	After float64 `json:"after_seconds,omitempty"`
	// Seen is the largest token that the resource has seen.
	Seen holdgate.Token `json:"seen,omitempty"`
}

// Kind says what happened.
type Kind string

// What happens in the piece.
const (
	Waits    Kind = "waits"
	Holds    Kind = "holds"
	Accepted Kind = "accepted" // a write
	Delayed  Kind = "delayed"  // a write: it was sent, and is on its way
	Refused  Kind = "refused"  // a write
	Releases Kind = "releases"
	Killed   Kind = "killed"
)

// since is how long ago something was, in seconds.
func since(begun time.Time) float64 {
	return time.Since(begun).Round(10 * time.Microsecond).Seconds()
}
