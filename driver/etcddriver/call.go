package etcddriver

import (
	"context"
	"errors"
	"fmt"
	"math"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"github.com/holdgate/holdgate/driver"
)

// method is a call of one of etcd's services.
type method[Req, Resp any] func(m *member, ctx context.Context, in Req, opts ...grpc.CallOption) (Resp, error)

// errFirstAnswer ends a call after its first attempt.
var errFirstAnswer = errors.New("answered")

// read makes a request that changes nothing.
func read[Req, Resp any](ctx context.Context, d *Driver, f method[Req, Resp], in Req) (Resp, error) {
	return call(ctx, d, f, in, false)
}

// write makes a request that changes something, at most once.
func write[Req, Resp any](ctx context.Context, d *Driver, f method[Req, Resp], in Req) (Resp, error) {
	return call(ctx, d, f, in, true)
}

// call makes one request, once, and classifies what comes of it.
//
// The client's interceptor repeats requests that ended by a cancelled or overdue context
// other than ours, also those that may have been carried out. So the first answer
// ends the context that it works with, unless it refused the token: then the
// repetition, with a new one, is the first attempt.
func call[Req, Resp any](ctx context.Context, d *Driver, f method[Req, Resp], in Req, writes bool) (Resp, error) {
	var none Resp
	if err := d.usable(ctx); err != nil {
		return none, err
	}
	within, end := d.within(ctx)
	defer end(nil)
	asked := d.ask(d.members.current())
	defer d.attend(within, asked.m, end)()
	var at peer.Peer
	var answer error
	out, err := f(asked.m, within, in, grpc.WaitForReady(false), grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.Peer(&at),
		grpc.OnFinish(func(err error) {
			if err != nil && !staleAuth(err) {
				answer = err
				end(errFirstAnswer)
			}
		}))
	if err == nil {
		asked.m.spoke()
		return out, nil
	}
	switch cause := context.Cause(within); {
	case oneOf(cause, errSilent, errNewLeader):
		err = cause
	case oneOf(cause, errFirstAnswer):
		err = answer // and not that the repetition was called off
	}
	// The peer is known once an attempt went out on a connection.
	return none, d.explain(ctx, err, effect{writes: writes, sent: at.Addr != nil}, asked)
}

// within returns a context for requests that ends with ctx and with the handle, and asks
// each member to refuse at once while it has no leader.
func (d *Driver) within(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(clientv3.WithRequireLeader(ctx))
	stop := context.AfterFunc(d.ctx, func() { cancel(driver.ErrClosed) })
	return ctx, func(cause error) {
		if cause == nil {
			stop()
		}
		cancel(cause)
	}
}

// usable says why a call cannot even begin.
func (d *Driver) usable(ctx context.Context) error {
	if d.ctx.Err() != nil {
		return driver.ErrClosed
	}
	if ctx.Err() != nil {
		return fmt.Errorf("not sent: %w", context.Cause(ctx))
	}
	return nil
}

// explain says what a request's failure means to the caller, and leaves its member when
// another may do better.
func (d *Driver) explain(ctx context.Context, err error, e effect, r request) error {
	switch {
	case d.ctx.Err() != nil:
		return driver.ErrClosed
	case ctx.Err() != nil:
		d.impatient(r)
		return fmt.Errorf("%w: %w", e.unanswered(), context.Cause(ctx))
	}
	kind := kindOf(err, e)
	if oneOf(kind, driver.ErrUnavailable, driver.ErrUnknownOutcome) && !ofAll(err) {
		d.members.leave(r.m, d.now())
	}
	if !e.sent {
		r.m.reconnect(d.now())
	}
	return fmt.Errorf("%w: %w", kind, err)
}
