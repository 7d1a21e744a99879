package grpcfence

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/fence"
)

// Options configure the interceptors of a server. Zero values are the defaults.
type Options struct {
	// Gate refuses older tokens, and does not let a newer holder's call begin while one of
	// an older holder runs: the context of that one ends, with a *fence.StaleError as
	// its cause. Nil: only the form of the pass is checked here, and the token where the
	// data is.
	Gate *fence.Gate
	// Name says which lock guards what a call is about; req is nil for a stream. A call
	// that shows the token of another lock is refused. Nil, or an empty answer: the
	// call's own word is taken.
	Name func(ctx context.Context, method string, req any) string
	// Unfenced says which methods need no pass, such as those that only read, health
	// checks and reflection. Nil: all need one.
	Unfenced func(method string) bool
}

// UnaryServer lets a call through if its fencing token is not older than one that was seen
// before. The context that the handler gets carries the pass, see [fence.FromContext]. Nil
// options are the defaults: without a gate it refuses only calls without a pass.
func UnaryServer(o *Options) grpc.UnaryServerInterceptor {
	g := newGuard(o)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (reply any, err error) {
		err = g.let(ctx, info.FullMethod, req, func(ctx context.Context) error {
			var err error
			reply, err = handle(ctx, req)
			return err
		})
		return reply, err
	}
}

// StreamServer does the same for streams, each as one call.
func StreamServer(o *Options) grpc.StreamServerInterceptor {
	g := newGuard(o)
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
		return g.let(stream.Context(), info.FullMethod, nil, func(ctx context.Context) error {
			return handle(srv, &served{stream, ctx})
		})
	}
}

// served is a stream with the context of a call that was let in.
type served struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // as grpc.ServerStream has it
}

func (s *served) Context() context.Context { return s.ctx }

type guard struct{ opts Options }

func newGuard(o *Options) *guard {
	if o == nil {
		return new(guard)
	}
	return &guard{*o}
}

// let calls serve if the call may be served.
func (g *guard) let(ctx context.Context, method string, req any, serve func(context.Context) error) error {
	if g.opts.Unfenced != nil && g.opts.Unfenced(method) {
		return serve(ctx)
	}
	p, err := g.pass(ctx, method, req)
	if err != nil {
		return Status(err)
	}
	begun := false
	fenced := func(ctx context.Context) error {
		begun = true
		return serve(fence.WithPass(ctx, p))
	}
	if g.opts.Gate == nil {
		return Status(fenced(ctx))
	}
	err = g.opts.Gate.Do(ctx, p, fenced)
	if err != nil && !begun && !errors.Is(err, fence.ErrStale) {
		err = fmt.Errorf("%w: %w", errOccupied, err)
	}
	return Status(err)
}

// pass is what the call shows, if it is for the right lock.
func (g *guard) pass(ctx context.Context, method string, req any) (fence.Pass, error) {
	p, err := incoming(ctx)
	if err != nil {
		return p, err
	}
	if g.opts.Name != nil {
		if guards := g.opts.Name(ctx, method, req); guards != "" {
			if p.Name != "" && p.Name != guards {
				return p, fmt.Errorf("%w: the token of %q, where the lock is %q", ErrMalformed, p.Name, guards)
			}
			p.Name = guards
		}
	}
	return p, p.Check()
}
