package etcddriver

import (
	"cmp"
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
	c, err := s.claim(ctx, dc)
	if err != nil {
		return driver.Place{}, err
	}
	var p driver.Place
	if c.Try && c.Units > 0 {
		var places []driver.Place
		if places, err = s.poll(ctx, []*claim{c}); err == nil {
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
	t, judged := c.first()
	for {
		answer, err := c.s.commit(ctx, c.Line, t)
		if err != nil {
			return driver.Place{}, err
		}
		revision := answer.Header.Revision
		answer = innermost(answer)
		switch {
		case answer.Succeeded && len(answer.Responses) == 1:
			return c.alone(revision), nil
		case answer.Succeeded:
			return c.inLine(ctx, answer, revision)
		}
		saw, err := c.saw(answer, revision)
		if err != nil {
			return driver.Place{}, err
		}
		if p, stands, err := c.standing(saw.lineup); stands || err != nil {
			return p, err
		}
		if err := cmp.Or(c.fits(saw.lineup, ""), noSingle(keysIn(answer, 2))); err != nil {
			return driver.Place{}, err
		}
		if judged {
			t = c.joinSeen(revision)
		} else {
			t, judged = c.joinSameUse(), true
		}
	}
}

// innermost is the answer of the transaction that was reached through those nested in the
// failure of others.
func innermost(answer *pb.TxnResponse) *pb.TxnResponse {
	for !answer.Succeeded {
		inner := answer.Responses[0].GetResponseTxn()
		if inner == nil {
			break
		}
		answer = inner
	}
	return answer
}

// first is the first transaction of an Enter, by a guess whether the line has places:
// shared lines mostly have; so has one in which this process has other places, or in
// which somebody here waited lately. It reports whether it judges all places there.
func (c *claim) first() (t *pb.TxnRequest, judges bool) {
	if key, ok := c.s.d.tracks.any(c.Line, c.key); ok {
		return c.joinBehind(key), true
	}
	if c.Units < c.Capacity || c.s.spots.crowded(c.Line) || c.s.d.views.follows(c.Line) {
		return c.joinSameUse(), true
	}
	return c.joinEmpty(), false
}

// joinEmpty joins an empty line.
func (c *claim) joinEmpty() *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: compares(none(c.line), c.notSingle(), c.s.unfenced()),
		Success: requests(c.join()),
		Failure: append(c.look(), c.lookAtName()),
	}
}

// joinSameUse joins a line of the claim's own use, or an empty one.
func (c *claim) joinSameUse() *pb.TxnRequest {
	return c.joinIf(sameUse(c.line, c.use), c.joinEmpty())
}

// joinBehind joins a line in which a place of the claim's use stands at this key: as all
// who join a line are of its use, one tells for all. Where none stands there, it joins as
// joinSameUse does: who was ahead the last time may be about to enter again.
func (c *claim) joinBehind(key string) *pb.TxnRequest {
	return c.joinIf(sameUse(one(key), c.use), c.joinSameUse())
}

// joinIf joins the line on conditions, and else in another way. That one is nested, so that
// it costs the store nothing when the conditions hold.
func (c *claim) joinIf(conditions []*pb.Compare, otherwise *pb.TxnRequest) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: append(conditions, none(one(c.key)), c.s.unfenced()),
		Success: requests(c.join(), c.ahead()),
		Failure: requests(nested(otherwise)),
	}
}

// joinSeen joins a line that nobody has joined since that revision.
func (c *claim) joinSeen(revision int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: compares(nobodySince(c.line, revision), c.notSingle(), c.s.unfenced()),
		Success: requests(c.join(), c.ahead()),
		Failure: append(c.look(), c.lookAtName()),
	}
}

// ahead reads what tells whether the new place is granted: for capacity 1 the place before
// it and itself, else the line.
func (c *claim) ahead() *pb.RequestOp {
	op := get(c.line)
	if c.Capacity == 1 && !c.s.d.layout.verbatim {
		r := op.GetRequestRange()
		r.SortTarget, r.SortOrder, r.Limit = pb.RangeRequest_CREATE, pb.RangeRequest_DESCEND, 2
	}
	return op
}

// inLine returns the place from the line that it has joined.
func (c *claim) inLine(ctx context.Context, answer *pb.TxnResponse, revision int64) (driver.Place, error) {
	l, i, err := c.find(answer, len(answer.Responses)-1)
	if err != nil {
		return driver.Place{}, err
	}
	count := answer.Responses[len(answer.Responses)-1].GetResponseRange().Count
	whole := int(count) == len(l.kvs)+len(l.marks)
	if c.s.d.layout.verbatim {
		// The transaction took the places of a line below for places of this one.
		if err := c.fits(l, ""); err != nil {
			return driver.Place{}, c.undo(ctx, err)
		}
	}
	next, blocked := l.blocker(i, revision)
	if !blocked && !whole {
		return c.lookAgain(ctx, l.place(i))
	}
	if c.Capacity == 1 && count > shortLine {
		next.far = count > farBehind
		c.s.spots.waits(c.Line, c.ID, next)
	}
	return l.place(i), nil
}

// lookAgain reads the whole line for a new place, when what was ahead of it said nothing: a
// place without units, say.
func (c *claim) lookAgain(ctx context.Context, p driver.Place) (driver.Place, error) {
	p.Granted = false
	l, err := c.s.d.lineup(ctx, c.Line)
	if err != nil {
		return p, nil // it stands, and its Wait looks again
	}
	if i := l.own(c.ID, c.s.lease); i >= 0 {
		return l.place(i), nil
	}
	return p, nil // its Wait tells that it is gone
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
	at, _, _ := ss.find(c.Line, c.ID)
	if at.doubtful && refusal(err) {
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
	case at.order != 0 && !refusal(err):
		// An earlier attempt has made the place, and this one says nothing about it.
	default:
		ss.free(c.Line, c.ID)
	}
	return p, err
}
