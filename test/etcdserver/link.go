package etcdserver

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/test/proxy"
)

// Link is the network between one client and the servers. It knows what a request does,
// which the network cannot see, so that it loses the answer of one that writes.
type Link struct {
	*proxy.Link

	lose atomic.Bool
}

// NewLink returns a link that works, and ends with the test.
func NewLink(tb testing.TB) *Link { return &Link{Link: proxy.NewLink(tb, proxy.HTTP2)} }

// Options make a client use the link.
func (l *Link) Options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return l.Dial(ctx, "tcp", address)
		}),
		grpc.WithChainUnaryInterceptor(l.intercept),
	}
}

// LoseAnswer lets the next request that writes take effect, and loses its answer.
func (l *Link) LoseAnswer() { l.lose.Store(true) }

// intercept loses an answer when that was asked for.
func (l *Link) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	if err == nil && writes(method) && l.lose.CompareAndSwap(true, false) {
		return status.Error(codes.Unavailable, "etcdserver: the answer was lost on the way")
	}
	return err
}

func writes(method string) bool {
	switch method {
	case "/etcdserverpb.KV/Put", "/etcdserverpb.KV/Txn", "/etcdserverpb.KV/DeleteRange",
		"/etcdserverpb.Lease/LeaseGrant", "/etcdserverpb.Lease/LeaseRevoke":
		return true
	}
	return false
}
