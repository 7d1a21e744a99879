package etcddriver

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Renew renews the lease and reads, beside that, the session's record and the marks on
// its places. It takes both. The renewal alone does not prove that the lease still
// exists: old servers renewed leases that were revoked. And a mark that was written
// before the renewal was sent must be seen by it, or its evictor would remove the
// place of a holder who was never told. The read is linearizable, so it is.
func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	type heard struct {
		marks []driver.Eviction
		err   error
	}
	record := make(chan heard, 1)
	if !s.d.task(func() { // ends with its request
		marks, err := s.marks(ctx)
		record <- heard{marks, err}
	}) {
		return nil, driver.ErrClosed
	}
	renewed, err := s.beat.renew(ctx)
	found := <-record
	switch {
	case oneOf(found.err, driver.ErrSessionLost):
		return nil, found.err
	case err != nil:
		return nil, fmt.Errorf("renew lease %s: %w", s.ID(), err)
	case found.err != nil:
		return nil, fmt.Errorf("marks of session %s: %w", s.ID(), found.err)
	case !renewed:
		// The record stands, so the lease does: a member that has not heard of it yet.
		return nil, fmt.Errorf("%w: the leader does not know lease %s, which has a record", driver.ErrUnavailable, s.ID())
	}
	return found.marks, nil
}

// marks reads the session's record and its marks. Those of places that are gone, it
// removes: Leave does not wait for that.
func (s *session) marks(ctx context.Context) ([]driver.Eviction, error) {
	answer, err := read(ctx, s.d, s.d.kv.Range, rangeOf(withMarks(s.record)))
	if err != nil {
		return nil, err
	}
	var evictions []driver.Eviction
	var stale []*pb.RequestOp
	alive := false
	for _, kv := range answer.Kvs {
		key := string(kv.Key)
		if key == s.record {
			alive = true
			continue
		}
		n, placeID := readNotice(kv.Value), key[len(s.record)+1:]
		if _, _, stands := s.spots.find(n.Line, placeID); !stands {
			stale = append(stale, del(one(key)))
			continue
		}
		evictions = append(evictions, driver.Eviction{Line: n.Line, PlaceID: placeID, Reason: n.Reason, By: n.By})
	}
	switch {
	case !alive:
		return nil, s.lost()
	case len(stale) > 0:
		// What fails now is done by the next renewal.
		_, _ = s.txn(ctx, &pb.TxnRequest{Success: stale[:min(len(stale), perLook)]})
	}
	return evictions, nil
}
