package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Swap leaves p and enters c at the end of the same line, in one transaction.
func (s *session) Swap(ctx context.Context, p driver.Place, dc driver.Claim) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	if err := checkSwap(p, dc); err != nil {
		return driver.Place{}, err
	}
	c, err := s.claim(dc)
	if err != nil {
		return driver.Place{}, err
	}
	now, err := c.swap(ctx, p)
	if err != nil {
		return driver.Place{}, fmt.Errorf("swap in %q: %w", c.Line, err)
	}
	return now, nil
}

func checkSwap(p driver.Place, c driver.Claim) error {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID)); err != nil {
		return err
	}
	switch {
	case c.Try:
		return fmt.Errorf("%w: a swap cannot be a try", driver.ErrInvalid)
	case p.Line != c.Line:
		return fmt.Errorf("%w: a swap stays in line %q, not %q", driver.ErrInvalid, p.Line, c.Line)
	case p.ID == c.ID:
		return fmt.Errorf("%w: a swap needs a new place ID", driver.ErrInvalid)
	}
	return nil
}

// swap lets the claim in as Enter does, and removes the old place in the same step. It
// needs the old place to stand.
func (c *claim) swap(ctx context.Context, old driver.Place) (driver.Place, error) {
	oldKey := c.line.from + old.ID
	removal, fences := c.s.removal(oldKey, old.ID)
	t := &pb.TxnRequest{
		Success: append(removal, c.join(), get(c.line)),
		Failure: c.look(),
	}
	conditions := sameUse(c.line, c.use)
	for {
		t.Compare = append(conditions, livesBy(oldKey, c.s.lease), none(one(c.key)), c.s.unfenced())
		answer, err := c.s.txn(ctx, t)
		if err != nil {
			return driver.Place{}, c.outstanding(err)
		}
		if answer.Succeeded {
			c.s.removed(old.ID, fences, answer.Header.Revision)
			l, at, err := c.find(answer, len(answer.Responses)-1)
			if err != nil {
				return driver.Place{}, err
			}
			return l.place(at), nil
		}
		saw, err := c.saw(answer, answer.Header.Revision)
		if err != nil {
			return driver.Place{}, err
		}
		if p, stands, err := c.standing(saw.lineup); stands || err != nil {
			return p, err
		}
		if saw.own(old.ID, c.s.lease) < 0 {
			return driver.Place{}, gone(old.Line, old.ID)
		}
		// Alone in line, the place may change the line's use.
		if err := c.fits(saw.lineup, old.ID); err != nil {
			return driver.Place{}, err
		}
		conditions = compares(nobodySince(c.line, saw.revision))
	}
}
