package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
)

// loginIn bounds one attempt to log in. A member that hangs is not to use up the time in
// which another would answer.
const loginIn = 2 * time.Second

// door is where a client logs in.
type door struct {
	ctx    context.Context       //nolint:containedctx // that of Open, which bounds the first login
	failed atomic.Pointer[error] // what the last attempt ended with
}

func newDoor(ctx context.Context) *door { return &door{ctx: ctx} }

// open makes a client, which logs in at once where there is a user. While no member answers
// that, it tries again.
func (d *door) open(config clientv3.Config) (*clientv3.Client, error) {
	config.DialOptions = append(config.DialOptions, grpc.WithChainUnaryInterceptor(d.hurry))
	for pause := 50 * time.Millisecond; d.ctx.Err() == nil; pause = min(2*pause, time.Second) {
		client, err := d.client(config)
		if err == nil {
			return client, nil
		}
		if refused(err) {
			return nil, fmt.Errorf("%w: log in: %w", driver.ErrDenied, err)
		}
		select {
		case <-d.ctx.Done():
		case <-time.After(pause):
		}
	}
	err := context.Cause(d.ctx)
	if why := d.failed.Load(); why != nil {
		err = fmt.Errorf("%w: %w", err, *why)
	}
	return nil, fmt.Errorf("%w: log in: %w", driver.ErrUnavailable, err)
}

// client makes a client. The context bounds the making, not the client.
func (d *door) client(config clientv3.Config) (*clientv3.Client, error) {
	life, end := context.WithCancel(context.WithoutCancel(d.ctx))
	stop := context.AfterFunc(d.ctx, end)
	config.Context = life
	client, err := clientv3.New(config)
	if err == nil && !stop() {
		_ = client.Close()
		err = context.Cause(d.ctx)
	}
	if err != nil {
		stop()
		end()
		return nil, err
	}
	return client, nil
}

// hurry bounds each attempt to log in, now and whenever the client's token is refused, and
// says at once that nobody is there. The client goes on to the next member when an
// attempt took too long.
func (d *door) hurry(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	if method != etcdserverpb.Auth_Authenticate_FullMethodName {
		return invoke(ctx, method, request, reply, conn, options...)
	}
	once, cancel := context.WithTimeout(ctx, loginIn)
	defer cancel()
	err := invoke(once, method, request, reply, conn, append(options, grpc.WaitForReady(false))...)
	if err != nil && ctx.Err() == nil {
		d.failed.Store(&err)
	}
	return err
}

// refused reports whether a login failed for good.
func refused(err error) bool {
	known := rpctypes.Error(err)
	for _, refusal := range []error{rpctypes.ErrAuthFailed, rpctypes.ErrUserNotFound, rpctypes.ErrUserEmpty, rpctypes.ErrPermissionDenied} {
		if errors.Is(known, refusal) {
			return true
		}
	}
	return false
}
