package fence

import (
	"context"
	"errors"
)

// ErrNoPass: nobody put a pass into the context.
var ErrNoPass = errors.New("no fencing pass in the context")

type passKey struct{}

// WithHold returns a context that carries a hold to those who send its pass: the
// transport of httpfence, the interceptors of grpcfence. They ask the hold itself at that
// moment, so that one that has ended sends nothing.
func WithHold(ctx context.Context, h Holder) context.Context {
	return context.WithValue(ctx, passKey{}, func() (Pass, error) { return Of(h) })
}

// WithPass returns a context that carries a pass: that of a request that was let in, for
// the code that serves it and for what that calls in turn.
func WithPass(ctx context.Context, p Pass) context.Context {
	return context.WithValue(ctx, passKey{}, func() (Pass, error) { return p, p.Check() })
}

// FromContext returns the pass that the context carries. It answers ErrNoPass when there is
// none, and what [Of] or [Pass.Check] says of one that does not fence.
func FromContext(ctx context.Context) (Pass, error) {
	pass, ok := ctx.Value(passKey{}).(func() (Pass, error))
	if !ok {
		return Pass{}, ErrNoPass
	}
	return pass()
}
