package etcddriver

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver"
)

// heartbeat renews one lease. It keeps its stream from one renewal to the next: with a
// password each new stream costs the store an authentication, which is dear by design.
type heartbeat struct {
	s    *session
	turn chan struct{} // has a token while no renewal is under way

	// Owned by who has the turn:

	m      *member // at the other end of the stream
	stream pb.Lease_LeaseKeepAliveClient
	cancel context.CancelFunc // of the stream
}

func (b *heartbeat) init(s *session) {
	b.s = s
	b.turn = make(chan struct{}, 1)
	b.turn <- struct{}{}
}

// renew starts the lease's time anew, as far as the member that was asked knows.
func (b *heartbeat) renew(ctx context.Context) (*pb.LeaseKeepAliveResponse, error) {
	select {
	case <-b.turn:
		defer func() { b.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, fmt.Errorf("not sent: %w", context.Cause(ctx))
	case <-b.s.d.ctx.Done():
		return nil, driver.ErrClosed
	}
	if b.stream != nil && b.m != b.s.d.members.current() {
		b.hangUp() // it was left
	}
	used := b.stream != nil
	answer, e, asked, err := b.exchange(ctx)
	if err != nil && used && staleAuth(err) && ctx.Err() == nil {
		answer, e, asked, err = b.exchange(ctx) // the old stream's token was refused
	}
	if err != nil {
		return nil, b.s.d.explain(ctx, err, e, asked)
	}
	asked.m.spoke()
	return answer, nil
}

// exchange sends one request and receives its answer. After an error the stream is
// given up, so that a late answer is not taken for that to a later request.
func (b *heartbeat) exchange(ctx context.Context) (_ *pb.LeaseKeepAliveResponse, e effect, asked request, err error) {
	e.writes = true
	if b.stream == nil {
		b.m = b.s.d.members.current()
	}
	asked = b.s.d.ask(b.m)
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer b.s.d.attend(ctx, b.m, end)()
	if b.stream == nil {
		if err := b.dial(ctx); err != nil {
			return nil, e, asked, err
		}
	}
	stop := context.AfterFunc(ctx, b.cancel)
	defer func() {
		if !stop() || err != nil {
			b.hangUp()
		}
		if cause := context.Cause(ctx); oneOf(cause, errSilent, errNewLeader) {
			err = cause
		}
	}()
	e.sent = true
	if err := b.stream.Send(&pb.LeaseKeepAliveRequest{ID: b.s.lease}); err != nil {
		// The reason is told by Recv.
		if _, reason := b.stream.Recv(); reason != nil {
			err = reason
		}
		return nil, e, asked, err
	}
	answer, err := b.stream.Recv()
	return answer, e, asked, err
}

// dial opens a stream that lives as long as the session, or until hangUp.
func (b *heartbeat) dial(ctx context.Context) error {
	within, cancel := context.WithCancel(clientv3.WithRequireLeader(b.s.ctx))
	stop := context.AfterFunc(ctx, cancel)
	stream, err := b.m.LeaseKeepAlive(within) //nolint:contextcheck // it serves later renewals, too
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return err
	}
	b.stream, b.cancel = stream, cancel
	return nil
}

func (b *heartbeat) hangUp() {
	b.cancel()
	b.stream, b.cancel = nil, nil
}
