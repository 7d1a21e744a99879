package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// maxClaims is how many claims go into one transaction: etcd takes 128 operations in one
// by default, and a claim costs two.
const maxClaims = 60

// TryAll enters all claims in one transaction, or none.
func (s *session) TryAll(ctx context.Context, dcs []driver.Claim) ([]driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	claims, err := s.claims(ctx, dcs)
	if err != nil {
		return nil, err
	}
	places, err := s.poll(ctx, claims)
	if places, err = settleAll(ctx, claims, places, err); err != nil {
		return nil, fmt.Errorf("try %d lines: %w", len(claims), err)
	}
	return places, nil
}

// settleAll ends claims that were made together.
func settleAll(ctx context.Context, claims []*claim, places []driver.Place, err error) ([]driver.Place, error) {
	settled := make([]driver.Place, len(claims))
	copy(settled, places)
	standing := 0
	for i, c := range claims {
		p, failed := c.settle(ctx, settled[i], err)
		if failed == nil {
			settled[i] = p
			standing++
		}
	}
	switch standing {
	case len(claims):
		return settled, nil
	case 0:
		return nil, err
	}
	return nil, fmt.Errorf("%w: an earlier attempt was carried out, and some of its places were removed since", driver.ErrUnknownOutcome)
}

func (s *session) claims(ctx context.Context, dcs []driver.Claim) ([]*claim, error) {
	if len(dcs) == 0 || len(dcs) > maxClaims {
		return nil, fmt.Errorf("%w: 1 to %d claims, not %d", driver.ErrInvalid, maxClaims, len(dcs))
	}
	lines := make(map[string]bool, len(dcs))
	claims := make([]*claim, len(dcs))
	for _, dc := range dcs {
		if err := cmp.Or(dc.Check(), s.d.layout.check(dc.Line)); err != nil {
			return nil, err
		}
		if lines[dc.Line] {
			return nil, fmt.Errorf("%w: two claims for line %q", driver.ErrInvalid, dc.Line)
		}
		lines[dc.Line] = true
	}
	for i, dc := range dcs {
		c, err := s.claim(ctx, dc)
		if err != nil {
			return nil, err
		}
		claims[i] = c
	}
	return claims, nil
}

// tryAll joins all lines if every claim is granted at once.
//
// The first transaction does so if all lines are empty. If they were not, and the claims
// fit all the same, the next one joins them as they were seen, unless somebody came
// since: who only left makes more room. Then it looks again, so that a try is busy
// only when it does not fit.
func (s *session) tryAll(ctx context.Context, claims []*claim) ([]driver.Place, error) {
	t := tryEmpty(claims)
	for first := true; ; first = false {
		answer, err := s.try(ctx, claims, t)
		if err != nil {
			return nil, err
		}
		if answer.Succeeded {
			return joined(claims, answer, first)
		}
		saw, err := s.seen(claims, answer)
		if err != nil {
			return nil, err
		}
		if places, err := decide(claims, saw); places != nil || err != nil {
			return places, err
		}
		t = trySeen(claims, answer.Header.Revision)
	}
}

// try carries out the transaction of a try: by itself, when it is of several lines.
func (s *session) try(ctx context.Context, claims []*claim, t *pb.TxnRequest) (*pb.TxnResponse, error) {
	if len(claims) == 1 {
		return s.commit(ctx, claims[0].Line, t)
	}
	return s.txn(ctx, t)
}

// tryEmpty joins all lines if nobody stands in any of them.
func tryEmpty(claims []*claim) *pb.TxnRequest {
	t := &pb.TxnRequest{Compare: compares(claims[0].s.unfenced()), Failure: lookAt(claims)}
	for _, c := range claims {
		t.Compare = append(t.Compare, none(c.line), c.notSingle())
		t.Success = append(t.Success, c.join())
	}
	return t
}

// trySeen joins all lines if nobody has joined any of them since that revision.
func trySeen(claims []*claim, revision int64) *pb.TxnRequest {
	t := &pb.TxnRequest{Compare: compares(claims[0].s.unfenced()), Failure: lookAt(claims)}
	for _, c := range claims {
		t.Compare = append(t.Compare, nobodySince(c.line, revision), c.notSingle())
		t.Success = append(t.Success, c.join(), get(c.line))
	}
	return t
}

// lookAt reads the session's record, and all lines with their names, to find out why a try was refused.
func lookAt(claims []*claim) []*pb.RequestOp {
	return append(requests(get(one(claims[0].s.record))), linesOf(claims)...)
}

// linesOf reads all lines with their names.
func linesOf(claims []*claim) (ops []*pb.RequestOp) {
	for _, c := range claims {
		ops = append(ops, get(c.line), c.lookAtName())
	}
	return ops
}

// joined are the places after all lines were joined.
func joined(claims []*claim, answer *pb.TxnResponse, empty bool) ([]driver.Place, error) {
	places := make([]driver.Place, len(claims))
	for i, c := range claims {
		if empty {
			places[i] = c.alone(answer.Header.Revision)
			continue
		}
		l, at, err := c.find(answer, 2*i+1)
		if err != nil {
			return nil, err
		}
		places[i] = l.place(at)
	}
	return places, nil
}

// decide returns the places when all claims stand already, an error when they cannot
// all be granted, and neither when they can.
func decide(claims []*claim, saw []*lineup) ([]driver.Place, error) {
	places := make([]driver.Place, len(claims))
	standing := 0
	for i, c := range claims {
		p, stands, err := c.standing(saw[i])
		switch {
		case err != nil:
			return nil, err
		case stands:
			places[i] = p
			standing++
			continue
		}
		if err := c.fits(saw[i], ""); err != nil {
			return nil, err
		}
		if !c.admits(saw[i]) {
			return nil, saw[i].busy()
		}
	}
	switch standing {
	case len(claims):
		return places, nil
	case 0:
		return nil, nil
	}
	// All of them were entered in one step, so somebody removed some since.
	return nil, fmt.Errorf("%w: of %d places that were entered together, %d are left", driver.ErrGone, len(claims), standing)
}
