package etcddriver

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Enter puts a place at the end of a line, in one transaction where it can.
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
	if p, err = c.settle(ctx, p, err); err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

// enter joins the line wherever it ends.
//
// Where nobody is expected in line, the first transaction joins it if it is empty. Else,
// and then, it joins if all who stand there are of the claim's use: so a claim of
// another use is refused without ever having stood in the line. What that does not
// let in, though it may join, meets places of other software: then the next joins the
// line that was seen, if nobody came since.
func (c *claim) enter(ctx context.Context) (driver.Place, error) {
	empty := c.expectsNobody()
	for t := c.first(empty); ; {
		answer, err := c.s.txn(ctx, t)
		if err != nil {
			return driver.Place{}, err
		}
		revision := answer.Header.Revision
		switch inner := answer.Responses[0].GetResponseTxn(); {
		case answer.Succeeded && empty, inner.GetSucceeded():
			return c.alone(revision), nil
		case answer.Succeeded:
			return c.inLine(ctx, answer)
		case inner != nil:
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
		if t = c.joinSeen(revision); empty {
			t = c.joinSameUse()
		}
		empty = false
	}
}

// expectsNobody guesses whether the line is empty. Shared lines mostly are not; nor is
// one in which this process has other places, or in which somebody here waited lately.
func (c *claim) expectsNobody() bool {
	return c.Units == c.Capacity && !c.s.spots.crowded(c.Line) && !c.s.d.views.follows(c.Line)
}

// first is the first transaction of an Enter.
func (c *claim) first(empty bool) *pb.TxnRequest {
	if empty {
		return c.joinEmpty()
	}
	return c.joinSameUse()
}

// joinEmpty joins an empty line.
func (c *claim) joinEmpty() *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: compares(none(c.line), c.s.unfenced()),
		Success: requests(c.join()),
		Failure: c.look(),
	}
}

// joinSameUse joins a line of the claim's own use, or an empty one.
func (c *claim) joinSameUse() *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: append(sameUse(c.line, c.use), none(one(c.key)), c.s.unfenced()),
		Success: requests(c.join(), get(c.line)),
		Failure: requests(nested(c.joinEmpty())),
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
	if _, err := c.s.txn(ctx, &pb.TxnRequest{Success: requests(del(one(c.key)))}); err != nil {
		return fmt.Errorf("%w: leave again, because %s: %w", driver.ErrUnknownOutcome, why.Error(), err)
	}
	return why
}

// settle ends a claim. A request that was refused says nothing about an earlier one that
// was not answered: that is fenced off first.
func (c *claim) settle(ctx context.Context, p driver.Place, err error) (driver.Place, error) {
	ss := c.s.spots
	if at, _, _ := ss.find(c.Line, c.ID); at.doubtful && refusal(err) {
		l, i, failed := c.s.withdraw(ctx, c.Line, c.ID)
		switch {
		case failed != nil:
			return driver.Place{}, failed
		case i >= 0:
			p, err = l.place(i), nil // it had been made after all
		}
	}
	switch {
	case err == nil:
		ss.stands(c.Line, c.ID, p.Order)
	case oneOf(err, driver.ErrUnknownOutcome):
		ss.doubt(c.Line, c.ID)
	default:
		ss.free(c.Line, c.ID)
	}
	return p, err
}
