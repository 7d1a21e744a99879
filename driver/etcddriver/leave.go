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
// Of a place that was made, and whose every request was answered, all is known: then it
// empties the spot, which can have no other place. Else it first fences off what may
// still be under way, and looks at the line.
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
	if err := s.adopt(ctx, line); err != nil {
		return false, err
	}
	at, name, known := s.spots.find(line, placeID)
	if known && at.order != 0 && !at.doubtful {
		removed, err = s.empty(ctx, line, s.d.layout.line(line)+name)
		if oneOf(err, driver.ErrUnknownOutcome) {
			s.spots.spoil(line, placeID)
		}
	} else {
		removed, err = s.seekAndRemove(ctx, line, placeID, known)
	}
	if err == nil {
		s.spots.free(line, placeID)
	}
	return removed, err
}

// empty removes whatever stands at a spot, and reports whether something did. The mark
// beside the session's record is left to Renew.
func (s *session) empty(ctx context.Context, line, key string) (bool, error) {
	answer, err := s.remove(ctx, line, traces(key))
	if err != nil {
		return false, err
	}
	if answer.Deleted == 0 {
		_, err = s.look(ctx) // by itself, or with the session?
	}
	return answer.Deleted > 0, err
}

// seekAndRemove looks for a place in its line, and removes it.
func (s *session) seekAndRemove(ctx context.Context, line, placeID string, hasSpot bool) (bool, error) {
	l, i, err := s.seek(ctx, line, placeID, hasSpot)
	if err != nil || i < 0 {
		return false, err
	}
	return s.removeMade(ctx, string(l.kvs[i].Key), placeID, l.kvs[i].CreateRevision)
}

// removeMade removes the place that was made in that revision, and reports whether it stood.
func (s *session) removeMade(ctx context.Context, key, placeID string, revision int64) (bool, error) {
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(createdAt(key, revision)),
		Success: s.removal(key, placeID),
		Failure: requests(get(one(s.record))),
	})
	if err != nil || answer.Succeeded {
		return err == nil, err
	}
	return false, s.lives(keysIn(answer, 0))
}

// removal removes every trace of a place of this session.
func (s *session) removal(key, placeID string) []*pb.RequestOp {
	if s.d.layout.single {
		return requests(del(one(key)))
	}
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
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(s.mine()),
		Success: requests(s.fenceOff(), get(s.d.layout.places(line))),
		Failure: requests(get(one(s.record))),
	})
	if err == nil && !answer.Succeeded {
		err = cmp.Or(s.lives(keysIn(answer, 0)), driver.ErrUnavailable)
	}
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
