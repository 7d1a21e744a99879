package etcddriver

import (
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/driver"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	var (
		sentRead, sentWrite = effect{sent: true}, effect{sent: true, writes: true}
		unsentWrite         = effect{writes: true}
	)
	for _, c := range []struct {
		name string
		err  error
		e    effect
		want error
	}{
		// Definite answers, whatever was asked.
		{"lease gone", rpctypes.ErrGRPCLeaseNotFound, sentWrite, driver.ErrSessionLost},
		{"quota used up", rpctypes.ErrGRPCNoSpace, sentWrite, driver.ErrUnavailable},
		{"too many requests", rpctypes.ErrGRPCRequestTooManyRequests, sentWrite, driver.ErrUnavailable},
		{"no leader known", rpctypes.ErrGRPCNoLeader, sentWrite, driver.ErrUnavailable},
		{"rights changed", rpctypes.ErrGRPCAuthOldRevision, sentWrite, driver.ErrUnavailable},
		{"learner", rpctypes.ErrGRPCNotSupportedForLearner, sentWrite, driver.ErrUnavailable},
		{"corrupt", rpctypes.ErrGRPCCorrupt, sentWrite, driver.ErrUnavailable},
		{"no rights", rpctypes.ErrGRPCPermissionDenied, sentWrite, driver.ErrDenied},
		{"no user", rpctypes.ErrGRPCUserEmpty, sentWrite, driver.ErrDenied},
		{"wrong password", rpctypes.ErrGRPCAuthFailed, sentWrite, driver.ErrDenied},
		{"bad token", rpctypes.ErrGRPCInvalidAuthToken, sentRead, driver.ErrDenied},
		{"unauthenticated", status.Error(codes.Unauthenticated, "who?"), sentWrite, driver.ErrDenied},
		{"request too large", rpctypes.ErrGRPCRequestTooLarge, sentWrite, driver.ErrTooLarge},
		{"too many operations", rpctypes.ErrGRPCTooManyOps, sentWrite, driver.ErrTooLarge},
		{"message too large to send", status.Error(codes.ResourceExhausted, "trying to send message larger than max"), unsentWrite, driver.ErrTooLarge},
		{"TTL too large", rpctypes.ErrGRPCLeaseTTLTooLarge, sentWrite, driver.ErrInvalid},
		{"old server", status.Error(codes.Unimplemented, "unknown service"), sentRead, driver.ErrUnsupported},

		// No answer of the store: what was sent to write may have happened.
		{"timed out in the store", rpctypes.ErrGRPCTimeout, sentWrite, driver.ErrUnknownOutcome},
		{"timed out, leader failed", rpctypes.ErrGRPCTimeoutDueToLeaderFail, sentWrite, driver.ErrUnknownOutcome},
		{"timed out, connection lost", rpctypes.ErrGRPCTimeoutDueToConnectionLost, sentWrite, driver.ErrUnknownOutcome},
		{"leader changed", rpctypes.ErrGRPCLeaderChanged, sentWrite, driver.ErrUnknownOutcome},
		{"server stopped", rpctypes.ErrGRPCStopped, sentWrite, driver.ErrUnknownOutcome},
		{"connection broke", status.Error(codes.Unavailable, "error reading from server: EOF"), sentWrite, driver.ErrUnknownOutcome},
		{"deadline of the server", status.Error(codes.DeadlineExceeded, "context deadline exceeded"), sentWrite, driver.ErrUnknownOutcome},
		{"proposal dropped", status.Error(codes.Unknown, "raft proposal dropped"), sentWrite, driver.ErrUnknownOutcome},
		{"no error of gRPC", errors.New("odd"), sentWrite, driver.ErrUnknownOutcome},

		// A read changes nothing, and what was not sent cannot have.
		{"read timed out", rpctypes.ErrGRPCTimeout, sentRead, driver.ErrUnavailable},
		{"read, leader changed", rpctypes.ErrGRPCLeaderChanged, sentRead, driver.ErrUnavailable},
		{"read, connection broke", status.Error(codes.Unavailable, "error reading from server: EOF"), sentRead, driver.ErrUnavailable},
		{"not sent", status.Error(codes.Unavailable, "connection refused"), unsentWrite, driver.ErrUnavailable},
	} {
		if got := kindOf(c.err, c.e); !errors.Is(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReasonsOfAWatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		want         error
	}{
		{"as gRPC prints it", rpctypes.ErrGRPCPermissionDenied.Error(), rpctypes.ErrPermissionDenied},
		{"the plain text", rpctypes.ErrPermissionDenied.Error(), rpctypes.ErrPermissionDenied},
		{"compacted", rpctypes.ErrCompacted.Error(), errCompacted},
		{"old token", rpctypes.ErrGRPCInvalidAuthToken.Error(), rpctypes.ErrInvalidAuthToken},
	} {
		if got := cancelled(c.reason); !errors.Is(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
