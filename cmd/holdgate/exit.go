package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/keeper"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/supervise"
	"github.com/holdgate/holdgate/driver"
)

// Exit codes. Those below 80 are of sysexits.h where it has a fitting one, the rest are
// those of shells.
const (
	exitFailed        = 1  // what was asked about is not there, or something else failed
	exitFound         = 3  // doctor found something that is wrong
	exitUsage         = 64 // the command line or the environment is wrong; nothing was done
	exitUnavailable   = 69 // the store cannot be reached, or used
	exitBusy          = 75 // not acquired: busy, not within --wait, or evicted from the line; a setting has another version
	exitLost          = 79 // the lock was lost, or could have been a moment later
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignal        = 128 // plus its number
)

// exitCodes is what the help says of those of a command that runs another; lost is why that
// is ended with 79.
func exitCodes(lost string) string {
	return `Exit codes:
  the command's own, or 128+N when signal N ended it
  64   the command line is wrong, or it would wait for itself: nothing was started
  69   the store cannot be reached
  75   busy, not acquired within --wait, or removed from the line by evict (-E changes this one)
  79   ` + lost + `
  126  the command cannot be executed
  127  the command was not found
  130  interrupted while waiting (143: terminated)`
}

// exitError ends the program with a code. Its text is printed unless it is empty.
type exitError struct {
	code int
	err  error // nil: nothing is left to say
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// silently ends the program with a code: everything has been said.
func silently(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// usage is an error in the command line.
func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// failed is an error that has no code of its own.
func failed(format string, args ...any) error {
	return &exitError{code: exitFailed, err: fmt.Errorf(format, args...)}
}

// interrupted is the cause of a context that a signal ended.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string { return "interrupted by " + child.Name(e.signal) }

// errTimedOut is the cause of a context whose --wait is over.
var errTimedOut = errors.New("timed out")

// exitCode is the code of an error.
func exitCode(err error) int {
	var exit *exitError
	var signal *interrupted
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &signal):
		return exitSignal + child.Number(signal.signal)
	case errors.Is(err, holdgate.ErrNotAcquired) && errors.Is(err, holdgate.ErrLost):
		return exitBusy // a place in the line is lost, and nothing was held
	case isAny(err, holdgate.ErrLost, supervise.ErrUnrenewed, supervise.ErrMaxHold, keeper.ErrDied):
		return exitLost
	case errors.Is(err, child.ErrNotFound):
		return exitNotFound
	case errors.Is(err, child.ErrNotExecutable):
		return exitNotExecutable
	case isAny(err, driver.ErrInvalid, driver.ErrTooLarge, holdgate.ErrInvalidName, holdgate.ErrMismatch,
		holdgate.ErrUnsupported, holdgate.ErrDeadlock, store.ErrURL, store.ErrNoDefault, keeper.ErrHandle, keeper.ErrNoHandle, keeper.ErrUnknown):
		return exitUsage
	case isAny(err, holdgate.ErrUnavailable, holdgate.ErrDenied, errNoAnswer):
		return exitUnavailable
	case isAny(err, holdgate.ErrBusy, holdgate.ErrNotAcquired, errTimedOut):
		return exitBusy // also when an answer was under way at that moment
	case isAny(err, driver.ErrUnknownOutcome, context.DeadlineExceeded):
		return exitUnavailable
	}
	return exitFailed
}

func isAny(err error, kinds ...error) bool {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
