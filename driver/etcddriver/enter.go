package etcddriver

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Enter puts a place at the end of a line, in one transaction.
func (s *session) Enter(ctx context.Context, dc driver.Claim) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	c, err := s.claim(dc)
	if err != nil {
		return driver.Place{}, err
	}
	var p driver.Place
	if c.Try && c.Units > 0 {
		var places []driver.Place
		if places, err = s.tryAll(ctx, []*claim{c}); err == nil {
			p = places[0]
		}
	} else {
		p, err = c.enter(ctx)
	}
	if err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

// enter joins the line wherever it ends.
//
// The first transaction lets the claim in if all who stand there are of its kind, or
// nobody does. So a claim of another kind is refused without ever having stood in the
// line. What it does not let in, though it may join, meets places of other
// software: then it joins the line that it has seen, if nobody came since.
func (c *claim) enter(ctx context.Context) (driver.Place, error) {
	t := c.joinSameUse()
	for {
		answer, err := c.s.txn(ctx, t)
		if err != nil {
			return driver.Place{}, c.outstanding(err)
		}
		revision := answer.Header.Revision
		if answer.Succeeded {
			return c.inLine(ctx, answer)
		}
		if inner := answer.Responses[0].GetResponseTxn(); inner != nil {
			if inner.Succeeded {
				return c.alone(revision), nil
			}
			answer = inner
		}
		saw, err := c.saw(answer, revision)
		if err != nil {
			return driver.Place{}, err
		}
		if p, stands, err := c.standing(saw.lineup); stands || err != nil {
			return p, err
		}
		if err := c.fits(saw.lineup, ""); err != nil {
			return driver.Place{}, err
		}
		t = c.joinSeen(saw.revision)
	}
}

// joinSameUse joins a line of the claim's own kind, or an empty one. The second
// comparison is nested, so that it costs nothing when the first one holds.
func (c *claim) joinSameUse() *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: append(sameUse(c.line, c.use), none(one(c.key)), c.s.unfenced()),
		Success: requests(c.join(), get(c.line)),
		Failure: requests(nested(&pb.TxnRequest{
			Compare: compares(none(c.line), c.s.unfenced()),
			Success: requests(c.join()),
			Failure: c.look(),
		})),
	}
}

// joinSeen joins a line that nobody has joined since that revision.
func (c *claim) joinSeen(revision int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: compares(nobodySince(c.line, revision), c.s.unfenced()),
		Success: requests(c.join(), get(c.line)),
		Failure: c.look(),
	}
}

// inLine returns the place from the line that it has joined.
func (c *claim) inLine(ctx context.Context, answer *pb.TxnResponse) (driver.Place, error) {
	l, at, err := c.find(answer, len(answer.Responses)-1)
	if err != nil {
		return driver.Place{}, err
	}
	if c.s.d.layout.verbatim {
		// The transaction took the places of a line below for places of this one.
		if err := c.fits(l, ""); err != nil {
			return driver.Place{}, c.undo(ctx, err)
		}
	}
	return l.place(at), nil
}

// undo takes back the place that was just made, and returns why.
func (c *claim) undo(ctx context.Context, why error) error {
	_, err := c.s.txn(ctx, &pb.TxnRequest{Success: requests(del(one(c.key)))})
	if err != nil {
		return fmt.Errorf("%w: leave again, for %q: %w", driver.ErrUnknownOutcome, why.Error(), err)
	}
	return why
}

// find finds the place that a transaction has made in the line that it read.
func (c *claim) find(answer *pb.TxnResponse, response int) (*lineup, int, error) {
	l := newLineup(c.Line, c.line.from, keysIn(answer, response))
	if i := l.own(c.ID, c.s.lease); i >= 0 {
		return l, i, nil
	}
	return nil, 0, fmt.Errorf("%w: the store answered without the place it had just made", driver.ErrUnknownOutcome)
}
