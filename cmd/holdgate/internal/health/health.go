// Package health is what the servers of a store say of themselves, whatever the store is.
package health

import "time"

// Server is how one server is. What it did not tell is zero.
type Server struct {
	Endpoint string
	// Err is why no lock could be taken through it; nil: one could.
	Err error
	// Took is how long the endpoint took for a read that is confirmed by most members.
	Took time.Duration

	Version string
	// Faults are what is known to be wrong with that version.
	Faults  []string
	Member  uint64
	Leader  uint64 // the member that leads, as this one knows
	Learner bool
	// Alarms are what a member has raised, such as NOSPACE.
	Alarms []string
	// Size is how large the database is, and Quota how large it may be, in bytes.
	Size, Quota int64
}
