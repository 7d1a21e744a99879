package driver

import "time"

// Kind says what a line is used for. Places of different kinds in one line never
// share it.
type Kind string

// The kinds that Holdgate uses. A driver treats all alike: capacity and units say
// everything.
const (
	KindMutex     Kind = "mutex"
	KindRW        Kind = "rw"
	KindSemaphore Kind = "semaphore"
	KindElection  Kind = "election"
	KindPresence  Kind = "presence"
)

// MaxCapacity is the largest capacity of a line; a read/write lock has this one, so
// that a writer fills it and any number of readers do not.
const MaxCapacity = 1 << 30

// Claim asks for a place.
type Claim struct {
	// Line is the name of the line.
	Line string
	// ID is the client's own name for the place: 32 lower-case hexadecimal digits.
	ID string
	// Kind and Capacity are properties of the line, told by everyone who enters.
	Kind     Kind
	Capacity int64
	// Units is how much of the capacity the place takes, from 0 (granted at once) to
	// Capacity.
	Units int64
	// Data is a little JSON that is shown with the place: at most [MaxData] bytes, or
	// empty.
	Data []byte
	// Try joins only if the place is granted at once.
	Try bool
}

// Place is a place in a line as the store has it.
type Place struct {
	Line string
	ID   string
	// Session is the store's ID of the session that the place lives by, Owner its
	// owner text and TTL its time to live.
	Session string
	Owner   string
	TTL     time.Duration

	Kind     Kind
	Capacity int64
	Units    int64
	Data     []byte

	// Order strictly increases along a line and over the line's whole life, also
	// after the line was empty. It fits 55 bits. It is 0 where the store has none
	// (Features.Tokens is false, or a foreign place).
	Order uint64
	// Version changes with every Update; it means nothing but "the same" or "not".
	Version uint64
	// Granted says that the place and all those ahead of it fit the capacity.
	Granted bool
	// Eviction is the mark, if somebody asked this place to go.
	Eviction *Eviction
	// Foreign marks a place that other software made under the same key. It takes the
	// whole capacity and has no kind.
	Foreign bool
}

// Line is a line at one moment.
type Line struct {
	Name string
	// Places are in order: the head is the first.
	Places []Place
}

// Find returns the index of the place with this ID, or -1.
func (l Line) Find(placeID string) int {
	for i := range l.Places {
		if l.Places[i].ID == placeID {
			return i
		}
	}
	return -1
}

// Grant sets Granted on every place of the line.
func (l Line) Grant() {
	for i := range l.Places {
		l.Places[i].Granted = Fits(l.Places[:i], l.Places[i])
	}
}

// Fits reports whether p is granted behind the places ahead: whether its units and
// theirs fit its capacity. A place ahead that is foreign, or has another kind or
// capacity, takes the whole of it. Zero units always fit.
func Fits(ahead []Place, p Place) bool {
	if p.Units == 0 && !p.Foreign {
		return true
	}
	free := p.Capacity
	for i := range ahead {
		if !ahead[i].Matches(p.Kind, p.Capacity) {
			return false
		}
		free -= ahead[i].Units
		if free < p.Units {
			return false
		}
	}
	return !p.Foreign || len(ahead) == 0
}

// Matches reports whether a place belongs to a line of this kind and capacity.
func (p Place) Matches(kind Kind, capacity int64) bool {
	return !p.Foreign && p.Kind == kind && p.Capacity == capacity
}

// Query says what to watch: the line of that name or, with Prefix, all lines whose
// name begins with it (all lines there are, when it is empty).
type Query struct {
	Name   string
	Prefix bool
	// Once ends the sequence after the first snapshot: a listing.
	Once bool
}

// Matches reports whether the query covers the line of this name.
func (q Query) Matches(name string) bool {
	if q.Prefix {
		return len(name) >= len(q.Name) && name[:len(q.Name)] == q.Name
	}
	return name == q.Name
}

// Snapshot is what a watch yields.
type Snapshot struct {
	// Lines are sorted by name, each one whole.
	Lines []Line
	// Full says that there are no other lines that match. The first snapshot is full;
	// a driver that had to start again yields a full one again.
	Full bool
}
