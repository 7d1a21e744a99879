package etcddriver

import (
	"bytes"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Renew renews the lease, then reads the session's record and the marks on its places. The
// renewal alone proves nothing: no quorum confirms it, so a leader that was replaced
// while it slept renews as if it still led, and old servers renewed leases that were
// revoked. The read is linearizable, and so does three things:
//
//   - It shows that the lease still existed when the renewal was sent.
//   - It tells the terms apart. An answer carries the term of the latest entry that its
//     member had applied: the renewal's from before it, the read's from after a quorum
//     confirmed a leader. Where both are the same, that leader is also the one that
//     renewed; any later one gives the lease its whole time again.
//   - It sees every mark that was written before the renewal was sent. Else an evictor
//     would remove the place of a holder who was never told.
func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	renewed, err := s.beat.renew(ctx)
	if err != nil {
		return nil, fmt.Errorf("renew lease %s: %w", s.ID(), s.judge(err))
	}
	answer, err := read(ctx, s.d, (*member).Range, rangeOf(withMarks(s.record)))
	if err != nil {
		return nil, fmt.Errorf("marks of session %s: %w", s.ID(), s.judge(err))
	}
	marks, alive, err := s.heed(ctx, answer)
	if err != nil {
		return nil, fmt.Errorf("marks of session %s: %w", s.ID(), err)
	}
	switch before, after := renewed.GetHeader().GetRaftTerm(), answer.GetHeader().GetRaftTerm(); {
	case !alive:
		return nil, s.lost()
	case renewed.TTL <= 0:
		// The record stands, so the lease does: a member that has not heard of it yet.
		return nil, fmt.Errorf("%w: the leader does not know lease %s, which has a record", driver.ErrUnavailable, s.ID())
	case before != after:
		return nil, fmt.Errorf("%w: the leader changed between terms %d and %d while lease %s was renewed",
			driver.ErrUnavailable, before, after, s.ID())
	}
	s.nudges.listen()
	return marks, nil
}

// heed reads the session's record and its marks. Those of places that are gone, it
// removes: Leave does not wait for that, nor does Renew.
func (s *session) heed(ctx context.Context, answer *pb.RangeResponse) (marks []driver.Eviction, alive bool, err error) {
	var stale []*pb.RequestOp
	for _, kv := range answer.Kvs {
		key := string(kv.Key)
		if key == s.record { // the first of them, if it is there
			if alive = true; !bytes.Equal(kv.Value, s.text) {
				return nil, true, s.moved()
			}
			continue
		}
		n, placeID := readNotice(kv.Value), key[len(s.record)+1:]
		if err := s.adopt(ctx, n.Line); err != nil {
			return nil, alive, err
		}
		if _, _, stands := s.spots.find(n.Line, placeID); !stands {
			stale = append(stale, del(one(key)))
			continue
		}
		marks = append(marks, driver.Eviction{Line: n.Line, PlaceID: placeID, Reason: n.Reason, By: n.By})
	}
	if alive && len(stale) > 0 {
		// What fails now is done by the next renewal.
		_, _ = s.txn(ctx, &pb.TxnRequest{Success: stale[:min(len(stale), perLook)]})
	}
	return marks, alive, nil
}
