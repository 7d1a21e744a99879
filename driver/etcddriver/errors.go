package etcddriver

import (
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/driver"
)

// effect is what is known about a request that failed without a word from the store.
type effect struct {
	// writes says that the request would change something.
	writes bool
	// sent says that it went out on a connection.
	sent bool
}

// unanswered is the kind of error for a request whose answer did not come.
func (e effect) unanswered() error {
	if e.writes && e.sent {
		return driver.ErrUnknownOutcome
	}
	return driver.ErrUnavailable
}

// kindOf classifies what a request answered. What it does not know may have happened.
func kindOf(err error, e effect) error {
	known := rpctypes.Error(err)
	switch {
	case oneOf(known, rpctypes.ErrLeaseNotFound):
		return driver.ErrSessionLost
	case denied(known):
		return driver.ErrDenied
	case refused(known):
		return driver.ErrUnavailable
	case oneOf(known, rpctypes.ErrRequestTooLarge, rpctypes.ErrTooManyOps):
		return driver.ErrTooLarge
	case oneOf(known, rpctypes.ErrLeaseTTLTooLarge, rpctypes.ErrEmptyKey, rpctypes.ErrDuplicateKey):
		return driver.ErrInvalid
	case oneOf(known, rpctypes.ErrNotCapable):
		return driver.ErrUnsupported
	}
	switch status.Code(err) {
	case codes.ResourceExhausted: // a message larger than gRPC lets through, either way
		return driver.ErrTooLarge
	case codes.PermissionDenied, codes.Unauthenticated:
		return driver.ErrDenied
	case codes.Unimplemented:
		return driver.ErrUnsupported
	}
	return e.unanswered()
}

// denied are the answers to a user without the rights.
func denied(err error) bool {
	return oneOf(err,
		rpctypes.ErrPermissionDenied, rpctypes.ErrUserEmpty, rpctypes.ErrAuthFailed,
		rpctypes.ErrInvalidAuthToken, rpctypes.ErrInvalidAuthMgmt, rpctypes.ErrUserNotFound,
	)
}

// refused are the answers by which a server says that it has not even begun.
func refused(err error) bool {
	return oneOf(err,
		rpctypes.ErrNoSpace,         // the quota is used up: deletes and revokes still work
		rpctypes.ErrTooManyRequests, // too far behind
		rpctypes.ErrAuthOldRevision, // rights were changed just now
		rpctypes.ErrNoLeader,        // asked for by every request, and checked first
		rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner),
		rpctypes.ErrCorrupt, // the alarm: nothing is written any more
	)
}

// ofAll are refusals that every member would give.
func ofAll(err error) bool {
	return oneOf(rpctypes.Error(err), rpctypes.ErrNoSpace, rpctypes.ErrAuthOldRevision, rpctypes.ErrCorrupt)
}

// staleAuth are the refusals that a new token or another attempt cures.
func staleAuth(err error) bool {
	return oneOf(rpctypes.Error(err), rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision, rpctypes.ErrUserEmpty)
}

func oneOf(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// errCompacted: what a watch had to show next was compacted away. It begins anew.
var errCompacted = errors.New("the watch fell behind a compaction")

// cancelled is the reason that a server gave for cancelling a watch. It is the text of
// one of its errors, sometimes as gRPC prints it.
func cancelled(reason string) error {
	if _, text, ok := strings.Cut(reason, "desc = "); ok {
		reason = text
	}
	err := rpctypes.Error(errors.New(reason))
	if errors.Is(err, rpctypes.ErrCompacted) {
		return errCompacted
	}
	return err
}
