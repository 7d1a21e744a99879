package grpcfence

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// UnaryClient sends with each call the pass that its context carries: see
// [fence.WithHold]. A call without one goes out as it is, for the server to judge. One of a
// hold that has ended, or does not fence, is not sent: the error says why.
func UnaryClient(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	ctx, err := outgoing(ctx)
	if err != nil {
		return unsent(err)
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

// StreamClient does the same for streams.
func StreamClient(
	ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	ctx, err := outgoing(ctx)
	if err != nil {
		return nil, unsent(err)
	}
	return open(ctx, desc, cc, method, opts...)
}

// unsent is an error with the code of a call that must not be made now, and the reason
// behind it.
func unsent(err error) error {
	return &unsentError{status.New(codes.FailedPrecondition, "not sent: "+err.Error()), err}
}

type unsentError struct {
	status *status.Status
	err    error
}

func (e *unsentError) Error() string { return fmt.Sprintf("not sent: %v", e.err) }
func (e *unsentError) Unwrap() error { return e.err }

// GRPCStatus is what status.FromError asks for.
func (e *unsentError) GRPCStatus() *status.Status { return e.status }
