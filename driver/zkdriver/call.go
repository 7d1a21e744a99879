package zkdriver

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// run carries out an operation in a goroutine of its own: the client's calls take no
// context, and a server that hangs must not hang the caller. A caller that gives up
// leaves the operation to itself; it ends with its requests, which the end of the
// connection ends at the latest. The operation is given the caller's context to see
// that.
func run[T any](ctx context.Context, o owner, writes bool, f func(ctx context.Context) (T, error)) (T, error) {
	var none T
	if err := o.usable(ctx); err != nil {
		return none, err
	}
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	if !o.handle().operation(func() { // see above
		v, err := f(ctx)
		done <- result{v, err}
	}) {
		return none, driver.ErrClosed
	}
	select {
	case r := <-done:
		if r.err == nil {
			return r.v, nil
		}
		return none, o.explain(ctx, r.err)
	case <-o.over():
		return none, o.explain(ctx, nil)
	case <-ctx.Done():
		if err := o.ended(); err != nil {
			return none, err
		}
		return none, unanswered(ctx, writes)
	}
}

// unanswered says that a caller gave up.
func unanswered(ctx context.Context, writes bool) error {
	kind := driver.ErrUnavailable
	if writes {
		kind = driver.ErrUnknownOutcome
	}
	return fmt.Errorf("%w: %w", kind, context.Cause(ctx))
}

// owner is what an operation belongs to: a session, or the handle itself.
type owner interface {
	handle() *Driver
	// over is closed when the owner has ended; ended says by which error, nil while it lives.
	over() <-chan struct{}
	ended() error
	// usable says why an operation cannot even begin.
	usable(ctx context.Context) error
	// explain says what an error means to the caller; nil is one that only the end of the
	// owner explains.
	explain(ctx context.Context, err error) error
}

func usable(ctx context.Context, o owner) error {
	if err := o.handle().closed(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("not sent: %w", context.Cause(ctx))
	}
	return o.ended()
}

// explain prefers the end of the owner to whatever it has led to, and the end of the
// caller's context to that.
func explain(ctx context.Context, o owner, err error) error {
	if cause := o.ended(); cause != nil {
		return cause
	}
	if ctx.Err() != nil && oneOf(err, driver.ErrUnavailable, driver.ErrUnknownOutcome) {
		return unanswered(ctx, oneOf(err, driver.ErrUnknownOutcome))
	}
	return err
}
