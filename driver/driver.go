// Package driver is the contract between Holdgate and a store.
//
// Programs that take locks do not use it: they use package holdgate, over a
// driver. Whoever adds a store implements [Driver] and [Session], and runs the
// suite in package drivertest. docs/writing-a-driver.md is the guide.
//
// # One idea: a line
//
// A line has a name, a kind and a capacity. A place in it has an ID that the
// client chose, a position that the store gave, units, and the session it lives
// by. New places go to the end. A place is granted when its units and those of
// all places ahead fit the capacity ([Fits]). Nobody joins ahead of a place and
// units only go down, so the sum ahead only shrinks: a place that is granted stays
// granted until it is removed, and any state of the line at or after its entry
// that shows it fits proves the grant. No grant is ever written.
//
// A place counts until a write removes it. A driver never skips a place because
// it looks expired: the store, or one atomic step in it, deletes the dead ones, and
// their session can never come back.
//
// # What a driver does, and what it leaves to its caller
//
//   - It translates. It does not retry, switches its client's own retries off, and
//     keeps no timers for leases: the caller renews, and judges trust.
//   - It classifies every error with one of the kinds in this package. An answer that
//     was lost is [ErrUnknownOutcome], never [ErrUnavailable] and never [ErrBusy].
//   - Waiting costs no polling: a push, and a slow re-check where a push can be lost.
//   - Every call returns within 50 ms of the end of its context, whatever the store
//     does, with an error that wraps context.Cause. A mutating call that was
//     cancelled may have happened.
//   - All methods are safe for concurrent use.
//   - It neither keeps nor changes the slices it is given, and never uses again those
//     it has returned.
//
// # What the caller promises
//
// Claim IDs are 128 random bits and never used for a second attempt, other than
// retries of the same one. A caller does not believe in a grant for longer than the
// session's TTL after the last successful Open or Renew was sent. Input is
// checked by the caller too, but a driver that is handed a bad name, ID or claim
// answers [ErrInvalid] and changes nothing.
package driver

import (
	"context"
	"iter"
	"time"
)

// Driver is a handle on one store.
type Driver interface {
	// Open starts a session: a lease on the store that all places of one client
	// live by. The TTL that the store granted, which may be longer than the one asked
	// for, is in [Session.TTL]. A TTL that is negative, or outside what Features says,
	// is [ErrInvalid].
	Open(ctx context.Context, opts SessionOptions) (Session, error)

	// Line returns one line, whole, in order, with the grants worked out. It is up
	// to date: it shows every write that was answered before the call began. A name
	// nobody stands in is a Line without places, not an error.
	Line(ctx context.Context, name string) (Line, error)

	// Watch yields all lines that the query matches (a Snapshot with Full set, also
	// when there are none, up to date as Line is), then those that changed, each one
	// whole, whenever they changed. Changes are coalesced, never reordered, and the last one is never
	// withheld. A line that became empty is yielded without places. An error ends
	// the sequence; the end of ctx is such an error. With Query.Once the
	// sequence ends after the first snapshot.
	Watch(ctx context.Context, q Query) iter.Seq2[Snapshot, error]

	// Evict asks a place to go. A place that waits is removed at once, in one step
	// that cannot hit a granted one. A granted one is marked: its session's next
	// Renew tells, Line shows it, nothing else changes; a second mark changes
	// nothing. With Eviction.Force the place is removed at once, granted or not, of
	// other software or not. Without it a foreign place answers [ErrUnsupported].
	// A place that is not there answers [ErrGone]. The ID is as [Driver.Line] shows
	// it: other software may have given one of any form, so one that is not
	// hexadecimal is looked for too, or refused as [ErrInvalid] where no place can
	// have it.
	Evict(ctx context.Context, line, placeID string, e Eviction) error

	// Features says what this store, as it is configured, can and cannot promise.
	// It is constant over the life of the driver.
	Features() Features

	// Close ends this handle. Sessions that are still open are abandoned as if the
	// process had died; calls under way and later ones answer [ErrClosed].
	Close() error
}

// SessionOptions are what Open is given.
type SessionOptions struct {
	// TTL is how long the store keeps the session without a Renew.
	TTL time.Duration
	// Owner is shown to people who ask who holds: at most [MaxOwner] bytes of UTF-8.
	// It decides nothing.
	Owner string
}

// Session is a lease, and the places that live by it. When it ends, by Close, by
// expiry or by an operator, the store removes all its places, and every later
// call answers [ErrSessionLost], for good.
type Session interface {
	// ID is the store's name for this session.
	ID() string

	// TTL is the time to live that the store granted. Zero means that the session
	// does not expire by time (files: it lives as long as the process). No feature says
	// so beforehand: nobody has to know before there is a session, and who looks at
	// another's place finds it in Place.TTL.
	TTL() time.Duration

	// Renew starts the store's clock for this session anew, and returns the
	// evictions that are marked on its places: all of them, at every call, until
	// the places are gone. It answers [ErrSessionLost] when the session is gone,
	// and then, and only then, the caller may be sure.
	Renew(ctx context.Context) ([]Eviction, error)

	// Present returns every place of this session, in no particular order.
	// A store may answer from a state that lags; callers confirm an absence by
	// [Driver.Line]. Line, ID and Order are set; the rest where it costs nothing.
	Present(ctx context.Context) ([]Place, error)

	// Enter puts a place at the end of a line. It is idempotent by Claim.ID: entering
	// again returns the place that stands. It answers
	//
	//   - [ErrBusy], as a *[BusyError], when Claim.Try is set and the place would not
	//     be granted at once;
	//   - [ErrMismatch] when a native place ahead has another kind or capacity; a try may
	//     answer ErrBusy then;
	//   - [ErrTooLarge], [ErrInvalid], [ErrUnsupported] for claims it cannot take.
	//
	// With each of these the line is unchanged and no trace of the ID is left. An
	// Enter that was cancelled or whose answer was lost may have left a place; the
	// caller retries it or calls Leave.
	//
	// Where Features.Layout is LayoutSingle, Enter itself waits, for as long as ctx
	// lasts. Its caller ends it from time to time and enters again with the same ID: so
	// a call whose answer was lost is bounded, and one that only waited loses nothing,
	// since there is no order among those who wait. As any call that was cancelled, it
	// may have got the key.
	Enter(ctx context.Context, c Claim) (Place, error)

	// Wait returns when the place is granted. It answers [ErrGone] when the place
	// was removed, whoever removed it and why, which no store keeps, and
	// [ErrSessionLost] when the session is gone. A caller must look at
	// Place.Granted of what it returns: an early return is allowed, a wrong grant is
	// not. Only Line, ID and Order of p are used.
	Wait(ctx context.Context, p Place) (Place, error)

	// Update writes new Data and Units for a place that stands, and keeps its
	// position, Order and mark. Units only go down: more than before is [ErrInvalid].
	// p.Version must be the one last read, else [ErrConflict]. It never creates: a
	// place that is gone is [ErrGone]. Places behind that fit now are woken.
	Update(ctx context.Context, p Place) (Place, error)

	// Swap leaves p and enters c, at the end of the same line, in one step: nobody
	// sees the line without either, nor with both. It is idempotent by Claim.ID.
	// When p does not stand (and c does not, from an earlier try) it answers
	// [ErrGone] and creates nothing. Where the claim cannot be taken it answers as Enter
	// does, and p stands as before: so with ErrMismatch, when a place that c would stand
	// behind has another kind or capacity. Claim.Try is not allowed.
	Swap(ctx context.Context, p Place, c Claim) (Place, error)

	// Leave removes every trace of the ID from the line, and wakes who may be granted
	// now. It answers [ErrGone] when there was none. Only places of this session are
	// touched. After Leave was answered no delayed Enter of that ID that was sent
	// earlier on this session may bring it back, as far as the store can order
	// the two; callers reconcile by Present for the rest.
	Leave(ctx context.Context, line, placeID string) error

	// Close ends the session and removes all its places at once. Closing again is
	// not an error.
	Close(ctx context.Context) error
}

// Eviction asks the holder of a place to give it up.
type Eviction struct {
	// Line and PlaceID say where; Renew sets them, Evict takes them as arguments.
	Line    string
	PlaceID string
	// Reason is shown to the holder: at most [MaxReason] bytes of UTF-8.
	Reason string
	// By is the owner text of who asked.
	By string
	// Force removes the place at once. Two may then believe that they hold.
	Force bool
}
