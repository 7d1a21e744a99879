package history

import "time"

// Event is one thing that happened. Fields that do not apply are zero; which do is
// said with each kind.
type Event struct {
	At   time.Duration `json:"at_ns"`
	Kind Kind          `json:"kind"`
	// Client is one life of a process: after a restart it is another one.
	Client string `json:"client,omitempty"`
	// Hold is one call of Lock and, if there is one, the hold that it returned. It is
	// unique over all clients.
	Hold string `json:"hold,omitempty"`
	// Name is that of the lock.
	Name string `json:"name,omitempty"`
	// Place is the ID of a place in the store's line.
	Place string `json:"place,omitempty"`
	Token uint64 `json:"token,omitempty,string"`
	// Why is a reason or an error, empty for success.
	Why string `json:"why,omitempty"`
	// Until bounds what has to happen after the event.
	Until time.Duration `json:"until_ns,omitempty"`
	// Since is for a Lost, Freed or Broken of which only is known that it happened after
	// Since and no later than At. Zero: it happened at At.
	Since time.Duration `json:"since_ns,omitempty"`

	// Units is how much of a shared lock a Hold or a Place takes, and Capacity how much
	// there is; of an Ask, a Grant, a Stood and a Lowered. 0 is all there is.
	Units    int64 `json:"units,omitempty"`
	Capacity int64 `json:"capacity,omitempty"`

	// Of Start.

	TTL     time.Duration `json:"ttl_ns,omitempty"`
	Passing *Passing      `json:"passing,omitempty"`
}

// Passing bounds how a client passes a lock on among its own goroutines.
type Passing struct {
	// Grants is how many grants one place may get while others wait, or readers of one
	// process share.
	Grants int `json:"grants"`
	// Time is for how long. A client that keeps released places says with it how late it may
	// learn that somebody waits.
	Time time.Duration `json:"time_ns"`
}

// Kind says what happened.
type Kind string

// What a client does and sees.
const (
	// Start: a Client begins, with TTL and Passing.
	Start Kind = "start"
	// Ask: Lock or TryLock is called for a Name, as a Hold. With Why set to Patient it
	// has to be granted if everything works.
	Ask Kind = "ask"
	// Grant: it returned a hold, by a Place, with a Token. With Why set to Together it has
	// waited for other names since it was granted this one.
	Grant Kind = "grant"
	// Refuse: it returned an error, Why: Busy if somebody was in the way of a TryLock.
	Refuse Kind = "refuse"
	// GiveUp: the context of the Lock or of the Release under way has ended.
	GiveUp Kind = "give up"
	// Held: the Hold was asked, and said that it is held.
	Held Kind = "held"
	// Lost: the Hold ended though nobody released it: Why is one of the reasons below.
	Lost Kind = "lost"
	// Release: Release is called.
	Release Kind = "release"
	// Lowered: the Hold is about to take no more than Units; or the Place does, as the store
	// has it.
	Lowered Kind = "lowered"
	// Saw: who watches an election as a Hold was told who leads, with what Token; 0 for
	// nobody.
	Saw Kind = "saw"
	// Began: under the Hold something is begun that is to be done once; Done: it is done, and
	// remembered at least Until.
	Began Kind = "began"
	Done  Kind = "done"
	// Met: as a Hold, one of Capacity parties was let through the barrier of a Name.
	Met Kind = "met"
	// Released: it returned, with Why if with an error.
	Released Kind = "released"
	// Close: a Client is closed, and has to be Until.
	Close Kind = "close"
	// Closed: that returned, with Why if with an error.
	Closed Kind = "closed"
	// Evict: a Client asks a Place to go.
	Evict Kind = "evict"
)

// Patient is the Why of an Ask that nobody will cancel, Busy that of a Refuse, Together that
// of a Grant.
const (
	Patient  = "patient"
	Busy     = "busy"
	Together = "together"
)

// Why a hold was Lost.
const (
	ByExpiry  = "expired"      // no renewal succeeded in time
	BySession = "session gone" // the store said so
	ByRemoval = "removed"      // the place is gone from the store
	ByEvictor = "evicted"      // somebody asked the holder to go
	ByClose   = "closed"       // the client was closed
)

// What happens to a process.
const (
	// Stop: no code of the Client runs from now on. Without a Resume it was killed.
	Stop Kind = "stop"
	// Resume: it goes on.
	Resume Kind = "resume"
)

// What happens in the world.
const (
	// Accept: the resource took a write to Name with a Token; Hold wrote it.
	Accept Kind = "accept"
	// Reject: the resource refused it.
	Reject Kind = "reject"
	// Stood: the Place of a Client appeared in the line of a Name, no earlier than At. Its
	// grants have no smaller Token than this, if it is known.
	Stood Kind = "stood"
	// Freed: the Place is gone from it.
	Freed Kind = "freed"
	// Broken: somebody took the Place away behind its holder's back. Two may then
	// believe; the holder is told Until.
	Broken Kind = "broken"
	// Calm: nothing goes wrong from now on, and every call ends within Until, counted
	// from here or from its beginning.
	Calm Kind = "calm"
	// Left: a Place was found in the line of a Name when all had been given back.
	Left Kind = "left"
)
