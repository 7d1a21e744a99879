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

	// Role is what it is to the others, where the store has a word for it. Else Member,
	// Leader and Learner tell.
	Role    string
	Version string
	// Faults are what is known to be wrong with that version.
	Faults  []string
	Member  uint64
	Leader  uint64 // the member that leads, as this one knows
	Learner bool
	// Warnings are what somebody should do something about.
	Warnings []string
	// Alarms are what a member has raised, such as NOSPACE.
	Alarms []string
	// Size is how large the database is, and Quota how large it may be, in bytes.
	Size, Quota int64

	// Load is what the server counts itself, nil where it does not tell.
	Load *Load
	// Untold is why it did not tell of itself what servers of its kind do.
	Untold string
}

// Load is how much a server has to do.
type Load struct {
	// Latency is how long a request took on average, since the server began to count.
	Latency time.Duration
	// Outstanding are requests that it has not answered yet.
	Outstanding int
	// Connections are those of its clients.
	Connections int
}
