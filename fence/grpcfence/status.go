package grpcfence

import (
	"errors"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// What an ErrorInfo of ours says.
const (
	Domain        = "github.com/holdgate/holdgate"
	ReasonStale   = "STALE_FENCING_TOKEN"
	ReasonNoToken = "NO_FENCING_TOKEN"

	infoName, infoToken, infoNewest, infoForgotten = "name", "token", "newest", "forgotten"
)

// errOccupied: a call of an older holder did not end in time.
var errOccupied = errors.New("an older holder's call has not ended")

// Status turns what package fence and those beside it answer into a status, and returns any
// other error as it is. Handlers use it for what a fenced transaction says.
func Status(err error) error {
	if stale, ok := errors.AsType[*fence.StaleError](err); ok {
		return describe(codes.FailedPrecondition, stale, ReasonStale, map[string]string{
			infoName: stale.Name, infoToken: stale.Token.String(), infoNewest: stale.Newest.String(),
			infoForgotten: strconv.FormatBool(stale.Forgotten),
		})
	}
	switch {
	case errors.Is(err, fence.ErrNoPass):
		return describe(codes.FailedPrecondition, err, ReasonNoToken, nil)
	case errors.Is(err, errOccupied):
		return status.Error(codes.Aborted, err.Error())
	case errors.Is(err, ErrMalformed), errors.Is(err, fence.ErrNoToken), errors.Is(err, fence.ErrInvalidToken),
		errors.Is(err, holdgate.ErrInvalidName):
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return err
}

func describe(code codes.Code, err error, reason string, facts map[string]string) error {
	s := status.New(code, err.Error())
	told, failed := s.WithDetails(&errdetails.ErrorInfo{Domain: Domain, Reason: reason, Metadata: facts})
	if failed != nil {
		return s.Err() // the code and the text say the same
	}
	return told.Err()
}

// Refused returns the *fence.StaleError that a server's answer tells of, nil for any other
// error.
func Refused(err error) error {
	s, ok := status.FromError(err)
	if !ok {
		return nil
	}
	for _, detail := range s.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if ok && info.GetDomain() == Domain && info.GetReason() == ReasonStale {
			return stale(info.GetMetadata())
		}
	}
	return nil
}

func stale(facts map[string]string) error {
	e := &fence.StaleError{Name: facts[infoName], Forgotten: facts[infoForgotten] == "true"}
	// What cannot be read stays 0: it is a refusal all the same.
	e.Token, _ = holdgate.ParseToken(facts[infoToken])
	e.Newest, _ = holdgate.ParseToken(facts[infoNewest])
	return e
}
