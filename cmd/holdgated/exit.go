package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// Exit codes: those of sysexits.h, as the holdgate command has them.
const (
	exitFailed      = 1  // the member failed, or what was asked for did
	exitUsage       = 64 // the command line or the environment is wrong; nothing was done
	exitUnavailable = 69 // an address cannot be had, or the member cannot be reached
	exitBusy        = 75 // the data directory is in use
	exitRefused     = 77 // the cluster does not take this member, or no longer
)

// exitCodes is what the help says of them.
const exitCodes = `Exit codes:
  0    ended by SIGTERM or SIGINT, or did what was asked
  1    the member failed, or a file could not be written or read
  64   the command line or the environment is wrong: nothing was started or written
  69   an address is in use, or the member cannot be reached
  75   the data directory is in use
  77   the cluster refuses this member, or has removed it: starting again does not help`

// usageError is an error in the command line or the environment.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// exitCode is the code of an error.
func exitCode(err error) int {
	var wrong *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong), errors.Is(err, etcdembed.ErrInvalid):
		return exitUsage
	case errors.Is(err, etcdembed.ErrInUse):
		return exitBusy
	case errors.Is(err, etcdembed.ErrRefused), errors.Is(err, etcdembed.ErrRemoved):
		return exitRefused
	case isUnreached(err):
		return exitUnavailable
	}
	return exitFailed
}

func isUnreached(err error) bool {
	var network *net.OpError // also an address that is in use, or not of this machine
	answer := status.Code(err)
	return errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		answer == codes.Unavailable || answer == codes.DeadlineExceeded
}
