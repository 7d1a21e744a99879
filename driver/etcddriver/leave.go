package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Leave removes a place of this session and its mark.
//
// Of a place that was made, and whose every request was answered, all is known: that is
// one transaction. Else it first fences off what may still be under way, and looks at
// the line.
func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := cmp.Or(s.d.layout.check(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	removed, err := s.leave(ctx, line, placeID)
	switch {
	case err != nil:
		return fmt.Errorf("leave %q: %w", line, err)
	case !removed:
		return gone(line, placeID)
	}
	return nil
}

func (s *session) leave(ctx context.Context, line, placeID string) (removed bool, err error) {
	at, name, known := s.spots.find(line, placeID)
	key, order := s.d.layout.line(line)+name, at.order
	if !known || at.doubtful || order == 0 {
		l, i, err := s.seek(ctx, line, placeID, known)
		if err != nil {
			return false, err
		}
		if i < 0 {
			s.spots.free(line, placeID)
			return false, nil
		}
		key, order = string(l.kvs[i].Key), l.kvs[i].CreateRevision
	}
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(createdAt(key, order)),
		Success: s.removal(key, placeID),
		Failure: requests(get(one(s.record))),
	})
	if err != nil {
		return false, err
	}
	if !answer.Succeeded {
		if err := s.lives(keysIn(answer, 0)); err != nil {
			return false, err
		}
	}
	s.spots.free(line, placeID)
	return answer.Succeeded, nil
}

// removal removes every trace of a place of this session.
func (s *session) removal(key, placeID string) []*pb.RequestOp {
	return requests(del(traces(key)), del(one(s.d.layout.mark(s.lease, placeID))))
}

// seek finds a place in its line, or -1. While it has a spot, a request to make it may be
// under way.
func (s *session) seek(ctx context.Context, line, placeID string, hasSpot bool) (*lineup, int, error) {
	if hasSpot {
		return s.withdraw(ctx, line, placeID)
	}
	l, err := s.lineup(ctx, line)
	if err != nil {
		return nil, -1, err
	}
	return l, l.own(placeID, s.lease), nil
}

// withdraw fences off all requests of this session that were sent before, and returns the
// line as it is after that, and the index of the place in it or -1. No request to make
// the place is under way any more.
func (s *session) withdraw(ctx context.Context, line, placeID string) (*lineup, int, error) {
	prefix := s.d.layout.line(line)
	answer, err := s.txn(ctx, &pb.TxnRequest{Success: requests(s.fenceOff(), get(under(prefix)))})
	if err != nil {
		return nil, -1, err
	}
	s.fence.moved(answer.Header.Revision)
	s.spots.certain(line, placeID)
	l := newLineup(line, prefix, keysIn(answer, 1))
	return l, l.own(placeID, s.lease), nil
}

func gone(line, placeID string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, placeID, line)
}
