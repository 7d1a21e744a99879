package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Leave removes a place of this session and its mark, in one transaction. When there is
// no place, it fences: an Enter of this ID that is still under way then makes none.
func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := cmp.Or(s.d.layout.check(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	key := s.d.layout.line(line) + placeID
	removal, fences := s.removal(key, placeID)
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(livesBy(key, s.lease)),
		Success: removal,
		Failure: requests(s.fenceOff()), // fails when the session is gone
	})
	if err != nil {
		return fmt.Errorf("leave %q: %w", line, err)
	}
	s.removed(placeID, fences || !answer.Succeeded, answer.Header.Revision)
	if !answer.Succeeded {
		return gone(line, placeID)
	}
	return nil
}

// removal removes every trace of a place of this session. It reports whether it fences,
// too: when a request to make the place may still be under way, though the place stands.
func (s *session) removal(key, placeID string) (ops []*pb.RequestOp, fences bool) {
	ops = requests(del(traces(key)), del(one(s.d.layout.mark(s.lease, placeID))))
	if fences = s.fence.doubts(placeID); fences {
		ops = append(ops, s.fenceOff())
	}
	return ops, fences
}

// removed notes that a place was removed.
func (s *session) removed(placeID string, fenced bool, revision int64) {
	if fenced {
		s.fence.moved(revision)
		s.fence.settled(placeID)
	}
}

func gone(line, placeID string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, placeID, line)
}
