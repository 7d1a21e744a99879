package etcddriver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// session is a lease of etcd's, and a record on it. The record is there exactly as
// long as the lease: a read of it tells, up to date, whether the session lives. What
// etcd answers about leases by themselves is not confirmed by a quorum.
type session struct {
	d      *Driver
	lease  int64
	owner  string
	ttl    time.Duration
	record string // its key
	text   []byte // its value while this handle carries the session on
	whose  string // how the JSON of its places begins
	beat   heartbeat
	nudges *nudges
	fence  fence
	spots  *spots
	// inherited is nil on the handle that opened the session.
	inherited *inherited

	refusals refusals

	// ctx ends once the session is known to have ended, by ErrSessionLost, once another
	// handle carries it on, by ErrMoved, and with the handle, by ErrClosed.
	ctx context.Context //nolint:containedctx // the session's own lifetime
	end context.CancelCauseFunc
}

var (
	_ driver.Session  = (*session)(nil)
	_ driver.AllTrier = (*session)(nil)
	_ driver.Nudger   = (*session)(nil)
)

// Open starts a session. Its TTL is rounded up to whole seconds, and by the store to
// what it can keep.
func (d *Driver) Open(ctx context.Context, opts driver.SessionOptions) (driver.Session, error) {
	if opts.TTL <= 0 || opts.TTL > maxTTL {
		return nil, fmt.Errorf("%w: a TTL is more than 0 and at most %v, not %v", driver.ErrInvalid, maxTTL, opts.TTL)
	}
	if err := driver.CheckOwner(opts.Owner); err != nil {
		return nil, err
	}
	granted, err := write(ctx, d, (*member).LeaseGrant, &pb.LeaseGrantRequest{TTL: wholeSeconds(opts.TTL)})
	if err != nil {
		return nil, fmt.Errorf("grant a lease: %w", err)
	}
	d.lookOnce() //nolint:contextcheck // nobody waits for it
	who := identity{Owner: opts.Owner, TTL: granted.TTL}
	text, err := json.Marshal(who)
	if err != nil {
		panic(err) // a string and a number
	}
	s := d.newSession(granted.ID, who, text)
	// Nobody knows the lease yet: after an error it expires, with nothing on it.
	put, err := write(ctx, d, (*member).Put, &pb.PutRequest{Key: []byte(s.record), Value: text, Lease: s.lease})
	if err != nil {
		s.ended()
		return nil, fmt.Errorf("record session %s: %w", s.ID(), err)
	}
	s.fence.moved(put.Header.Revision)
	if d.layout.single {
		return singleSession{s}, nil
	}
	return s, nil
}

// newSession is a session as a handle has it. text is the value of its record.
func (d *Driver) newSession(lease int64, who identity, text []byte) *session {
	s := &session{
		d:      d,
		lease:  lease,
		owner:  who.Owner,
		ttl:    time.Duration(who.TTL) * time.Second,
		record: d.layout.session(lease),
		text:   text,
		whose:  who.open(),
		spots:  newSpots(leaseText(lease)),
	}
	s.ctx, s.end = context.WithCancelCause(d.ctx)
	s.beat.init(s)
	s.nudges = newNudges(s)
	return s
}

// wholeSeconds rounds up: a lease never lasts shorter than asked.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// ID is the lease, as etcdctl writes it.
func (s *session) ID() string { return leaseText(s.lease) }

// TTL is what etcd granted.
func (s *session) TTL() time.Duration { return s.ttl }

// Close revokes the lease. All places go in one step.
func (s *session) Close(ctx context.Context) error {
	if err := s.d.usable(ctx); err != nil {
		return err
	}
	s.ended()
	_, err := write(ctx, s.d, (*member).LeaseRevoke, &pb.LeaseRevokeRequest{ID: s.lease})
	if err != nil && !oneOf(err, driver.ErrSessionLost) {
		return fmt.Errorf("revoke lease %s: %w", s.ID(), err)
	}
	return nil
}

// ended notes that the session is no more, for good.
func (s *session) ended() { s.end(driver.ErrSessionLost) }

// lost is the error of every call on a session that has ended.
func (s *session) lost() error {
	s.ended()
	return fmt.Errorf("%w: lease %s is gone", driver.ErrSessionLost, s.ID())
}

// usable says why a call on the session cannot even begin.
func (s *session) usable(ctx context.Context) error {
	if err := s.d.usable(ctx); err != nil {
		return err
	}
	return s.over()
}

// over says why the session has ended, as far as that is known here.
func (s *session) over() error {
	switch cause := context.Cause(s.ctx); {
	case cause == nil:
		return nil
	case oneOf(cause, driver.ErrSessionLost):
		return s.lost()
	case oneOf(cause, driver.ErrMoved):
		return s.moved()
	default:
		return driver.ErrClosed
	}
}

// judge notes the end of the session when that is what an error says.
func (s *session) judge(err error) error {
	if oneOf(err, driver.ErrSessionLost) {
		s.ended()
	}
	return err
}

// txn carries out a transaction for the session.
func (s *session) txn(ctx context.Context, t *pb.TxnRequest) (*pb.TxnResponse, error) {
	answer, err := write(ctx, s.d, (*member).Txn, t)
	return answer, s.judge(err)
}

// look reads several things as they are at one moment: the record of the session, then
// what is asked for. It answers ErrSessionLost when there is no record, and ErrMoved when
// it is another handle's.
func (s *session) look(ctx context.Context, ops ...*pb.RequestOp) (*pb.TxnResponse, error) {
	t := &pb.TxnRequest{Success: append(requests(get(one(s.record))), ops...)}
	answer, err := read(ctx, s.d, (*member).Txn, t)
	if err != nil {
		return nil, s.judge(err)
	}
	return answer, s.lives(keysIn(answer, 0))
}

// keysIn are the keys that the read number i of a transaction found.
func keysIn(answer *pb.TxnResponse, i int) []*mvccpb.KeyValue {
	return answer.Responses[i].GetResponseRange().GetKvs()
}
