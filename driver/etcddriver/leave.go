package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Leave removes a place of this session and its mark, in one transaction.
func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := cmp.Or(s.d.layout.check(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	key := s.d.layout.line(line) + placeID
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(livesBy(key, s.lease)),
		Success: s.removal(key, placeID),
		Failure: requests(get(one(s.record))),
	})
	switch {
	case err != nil:
		return fmt.Errorf("leave %q: %w", line, err)
	case answer.Succeeded:
		return nil
	case len(keysIn(answer, 0)) == 0:
		return s.lost()
	}
	return gone(line, placeID)
}

// removal removes every trace of a place of this session.
func (s *session) removal(key, placeID string) []*pb.RequestOp {
	return requests(del(traces(key)), del(one(s.d.layout.mark(s.lease, placeID))))
}

func gone(line, placeID string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, placeID, line)
}
