package etcdembed

import (
	"errors"
	"fmt"
)

var (
	// ErrInvalid: an option is wrong. Always an *OptionError.
	ErrInvalid = errors.New("invalid option")
	// ErrInUse: another process, or another Server of this one, uses the data directory.
	ErrInUse = errors.New("data directory is in use")
	// ErrFailed: etcd met what it cannot go on from.
	ErrFailed = errors.New("etcd failed")
	// ErrRemoved: the other members removed this one. Its data is of no use any more.
	ErrRemoved = errors.New("removed from the cluster")
	// ErrRefused: the cluster that was to be joined does not take this member.
	ErrRefused = errors.New("not admitted to the cluster")
	// ErrStuck: parts of the member still run. Its directory stays in use until the process
	// ends.
	ErrStuck = errors.New("the member did not stop")
)

// OptionError says which field of [Options] is wrong, and what is allowed.
type OptionError struct {
	Field  string // as in "PeerTLS.Key"
	Reason string
}

func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Field, e.Reason) }

// Unwrap makes errors.Is(err, ErrInvalid) true.
func (e *OptionError) Unwrap() error { return ErrInvalid }

func invalid(field, format string, args ...any) error {
	return &OptionError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// failedServing is the error of a listener that etcd gave up.
func failedServing(err error) error {
	if err == nil {
		return fmt.Errorf("%w: it stopped serving", ErrFailed)
	}
	return fmt.Errorf("%w: serving: %w", ErrFailed, err)
}
