package driver

import (
	"errors"
	"fmt"
)

// The kinds of error. Every error of a driver matches exactly one of them, and the
// cause, by errors.Is; when a call ends because its context did, it matches
// context.Cause, and may match one of them too.
var (
	// ErrBusy: a try was not granted at once. Always a *BusyError.
	ErrBusy = errors.New("busy")
	// ErrGone: the place does not stand, or the key does not exist.
	ErrGone = errors.New("gone")
	// ErrConflict: Place.Version, or the expected version of a key, is not the one in
	// the store.
	ErrConflict = errors.New("version conflict")
	// ErrSessionLost: the session is gone from the store, for good, or was closed.
	ErrSessionLost = errors.New("session lost")
	// ErrMoved: another handle has carried the session on since (Attacher); nothing
	// happened. The session itself lives.
	ErrMoved = errors.New("session is carried on by another handle")
	// ErrUnavailable: the store was not reached or refused for now; nothing happened.
	ErrUnavailable = errors.New("store unavailable")
	// ErrUnknownOutcome: the answer was lost. It may have happened, or may yet happen.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrUnsupported: this store, or this layout, cannot do that.
	ErrUnsupported = errors.New("not supported by this store")
	// ErrMismatch: the line is used with another kind or capacity.
	ErrMismatch = errors.New("line is of another kind or capacity")
	// ErrTooLarge: the store, or the contract, does not take that much.
	ErrTooLarge = errors.New("too large")
	// ErrDenied: the store refused for lack of rights.
	ErrDenied = errors.New("permission denied")
	// ErrInvalid: the input breaks the contract.
	ErrInvalid = errors.New("invalid input")
	// ErrClosed: the driver was closed.
	ErrClosed = errors.New("driver closed")
)

// BusyError says who stood in the way of a try.
type BusyError struct {
	// Head is the first place of the line: one that holds.
	Head Place
	// Ahead is how many places stand in the line.
	Ahead int
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%q is busy: held by %q, %d in line", e.Head.Line, e.Head.Owner, e.Ahead)
}

// Unwrap makes errors.Is(err, ErrBusy) true.
func (e *BusyError) Unwrap() error { return ErrBusy }
