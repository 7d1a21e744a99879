package driver

import (
	"context"
	"iter"
	"os"
	"time"
)

// AllTrier is implemented by sessions that can enter several lines in one
// transaction (Features.TryAll).
type AllTrier interface {
	// TryAll enters all claims, each in a line of its own, if every one is granted at
	// once, or none. It answers ErrBusy, as a *BusyError for the first line that was
	// in the way, and is idempotent by the claims' IDs.
	TryAll(ctx context.Context, claims []Claim) ([]Place, error)
}

// Inheriter is implemented by sessions that live as long as open files do
// (Features.Inherit): a child process that is given these files keeps the session,
// and so all its places, until it has ended too.
type Inheriter interface {
	// Inherit returns the files to pass to the child, as new descriptors that the
	// caller closes.
	Inherit() ([]*os.File, error)
}

// Nudger is implemented by sessions that hear by themselves what the next Renew would tell
// (Features.Nudge): that one of their places was asked to go, or that they were ended
// before their time.
type Nudger interface {
	// Nudges has a value when the session shall be renewed now, and not only when that is
	// due. It is a hint: there may be nothing to tell and, while the store cannot be
	// reached and before the first Renew was answered, one may be missing.
	Nudges() <-chan struct{}
}

// Attacher is implemented by drivers that can carry on a session which another handle has
// opened, perhaps of a process that died (Features.Attach). So a server that speaks for
// others keeps nothing of its own: whichever of them is asked goes on.
type Attacher interface {
	// Attach returns a Session for one that is open, by its ID. It neither renews it nor
	// changes its places. A session that is gone, or never was, answers ErrSessionLost; so
	// may, as ErrInvalid, an ID that no session can have.
	//
	// All places are the session's, whichever handle entered them: they are presented, left
	// and, by Claim.ID, entered again as if there were one handle. No request that another
	// handle sent before is carried out after Attach was answered in a way that this one
	// would not see.
	//
	// Handles take turns: one that was in use before may answer ErrMoved from now on, to any
	// call but Close, and is then of no more use. Its user may attach again.
	Attach(ctx context.Context, sessionID string) (Session, error)
}

// Clock is implemented by drivers that bring the clock their caller shall live by.
// A store that is simulated has one; a real store has not, and the caller uses the
// machine's.
type Clock interface {
	// Now is the time since some fixed moment. It never goes back, and goes on while
	// the machine sleeps.
	Now() time.Duration
	// AfterFunc calls f in its own goroutine once d has passed. The function that it
	// returns stops the timer and reports whether f will not be called because of it.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// KV is a small versioned map beside the lines, implemented by drivers for
// configuration and for work that is done once (Features.KV). Keys are as names of
// lines are, in a space of their own. Values are at most [MaxValue] bytes.
type KV interface {
	// Get returns an entry, up to date, or ErrGone.
	Get(ctx context.Context, key string) (Entry, error)
	// Put writes a value and returns the entry.
	Put(ctx context.Context, p Put) (Entry, error)
	// Delete removes a key: ErrGone when it is not there, ErrConflict when ifVersion
	// is not 0 and not the version in the store.
	Delete(ctx context.Context, key string, ifVersion uint64) error
	// WatchKV yields all entries that the query matches, then those that changed, as
	// Watch does for lines.
	WatchKV(ctx context.Context, q Query) iter.Seq2[KVSnapshot, error]
}

// MaxValue is how large a value of a KV may be, in bytes.
const MaxValue = 256 << 10

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value []byte
	// Version is never 0, and grows with every change of the key, also when it was
	// deleted in between.
	Version uint64
}

// Put is what [KV.Put] writes.
type Put struct {
	Key   string
	Value []byte
	// IfVersion, when not nil, is the version the key must have, 0 for "not there":
	// else the answer is ErrConflict.
	IfVersion *uint64
	// TTL, when not 0, removes the key that long after this Put, in the store's time.
	TTL time.Duration
}

// KVSnapshot is what a watch of a KV yields.
type KVSnapshot struct {
	// Entries are sorted by key: all that match when Full, else those that were
	// written.
	Entries []Entry
	// Deleted are the keys that are gone.
	Deleted []string
	Full    bool
}
