package holdgate

import (
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// The kinds of error. Match them with errors.Is; the typed details, with
// errors.As, are *BusyError and *LostError.
var (
	// ErrBusy: a try was not granted at once. Always a *BusyError.
	ErrBusy = driver.ErrBusy
	// ErrLost: the hold was lost: its session expired, or its place was removed, or it
	// was evicted. Always a *LostError.
	ErrLost = errors.New("lock lost")
	// ErrNotHeld: the hold had been released.
	ErrNotHeld = errors.New("not held")
	// ErrNotAcquired: a wait ended without a grant. The cause is beside it: that of the
	// context, or that the place is gone. A waiter that was evicted is told no more than
	// that: it is removed at once, and no store keeps who did it and why. Only one that was
	// granted at that very moment is told by a *LostError.
	ErrNotAcquired = errors.New("not acquired")
	// ErrClosed: the client was closed.
	ErrClosed = errors.New("client closed")
	// ErrUnavailable: the store could not be reached for a whole TTL, or, for a try, at
	// all.
	ErrUnavailable = driver.ErrUnavailable
	// ErrUnsupported: this store cannot do that, or not promise what Options.Require
	// asks for.
	ErrUnsupported = driver.ErrUnsupported
	// ErrDenied: the store refused for lack of rights.
	ErrDenied = driver.ErrDenied
	// ErrInvalidName: a name is UTF-8 of 1 to 512 bytes without NUL.
	ErrInvalidName = errors.New("invalid name")
	// ErrDeadlock: the caller's context says that it holds this name already.
	ErrDeadlock = errors.New("deadlock")
	// ErrMismatch: the name is used with another kind or capacity.
	ErrMismatch = driver.ErrMismatch
	// ErrInvalid: what was asked for is out of bounds; nothing was done.
	ErrInvalid = driver.ErrInvalid
	// ErrTooLarge: a value does not fit its place; nothing was done.
	ErrTooLarge = driver.ErrTooLarge
)

// BusyError says who was in the way of a try.
type BusyError struct {
	Name string
	// Holder is the first place of the line. It has no ID when goroutines of this
	// client wait in line already: then the store was not asked.
	Holder Place
	// Ahead is how many places were in the line or, when the store was not asked, how
	// many of this client hold and wait.
	Ahead int
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%q is busy: held by %s, %d in line", e.Name, e.Holder.who(), e.Ahead)
}

// Unwrap makes errors.Is(err, ErrBusy) true.
func (e *BusyError) Unwrap() error { return ErrBusy }

// LostReason says how a hold was lost.
type LostReason string

// How a hold can be lost.
const (
	// LostExpired: no renewal succeeded in time, or the process was stopped or the
	// machine asleep for too long.
	LostExpired LostReason = "expired"
	// LostSession: the store said that the session is gone.
	LostSession LostReason = "session gone"
	// LostRemoved: somebody removed the place from the store.
	LostRemoved LostReason = "removed"
	// LostEvicted: somebody asked the holder to go.
	LostEvicted LostReason = "evicted"
)

// LostError says how a hold was lost. It is the cause of the hold's context.
type LostError struct {
	Name   string
	Reason LostReason
	// LastRenewed is when the last renewal that counts was sent, on this machine's
	// clock.
	LastRenewed time.Time
	// By and Message are who evicted and why.
	By, Message string
	// Err is the last error of the store, if there was one.
	Err error
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("lock lost: %q: %s", e.Name, e.Reason)
	if e.By != "" {
		s += fmt.Sprintf(" by %q", e.By)
	}
	if e.Message != "" {
		s += fmt.Sprintf(": %q", e.Message)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap makes errors.Is(err, ErrLost) true, and shows the store's error.
func (e *LostError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrLost}
	}
	return []error{ErrLost, e.Err}
}

// notAcquired says why waiting for a name ended.
func notAcquired(name string, cause error) error {
	return fmt.Errorf("%w: %q: %w", ErrNotAcquired, name, cause)
}

// checkName turns what the contract says of a name into this package's error.
func checkName(name string) error {
	if err := driver.CheckName(name); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidName, err)
	}
	return nil
}
