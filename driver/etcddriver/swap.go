package etcddriver

import (
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
	if err := dc.CheckSwap(p); err != nil {
		return driver.Place{}, err
	}
	c, err := s.claim(ctx, dc)
	if err != nil {
		return driver.Place{}, err
	}
	now, err := c.swap(ctx, p.ID)
	if now, err = c.settle(ctx, now, err); err != nil {
		return driver.Place{}, fmt.Errorf("swap in %q: %w", c.Line, err)
	}
	return now, nil
}

// leaver is the place that a swap removes.
type leaver struct {
	key      string
	order    int64
	doubtful bool // an earlier request to make it may be under way
}

// leaver finds the old place as this session knows it. It reports false when it knows too
// little.
func (c *claim) leaver(id string) (leaver, bool) {
	at, name, _ := c.s.spots.find(c.Line, id)
	return leaver{c.line.from + name, at.order, at.doubtful}, at.order != 0
}

// swap lets the claim in as Enter does, and removes the old place in the same step. It
// needs the old place to stand.
func (c *claim) swap(ctx context.Context, id string) (driver.Place, error) {
	old, known := c.leaver(id)
	conditions := sameUse(one(old.key), c.use) // as all who join a line are of its use, one tells for all
	for {
		answer, err := c.ask(ctx, id, old, known, conditions)
		if err != nil {
			return driver.Place{}, err
		}
		if known && answer.Succeeded {
			return c.swapped(ctx, id, old, answer)
		}
		saw, err := c.saw(answer, answer.Header.Revision)
		if err != nil {
			return driver.Place{}, err
		}
		if p, stands, err := c.standing(saw.lineup); stands || err != nil {
			return p, err
		}
		i := saw.own(id, c.s.lease)
		if i < 0 {
			c.s.spots.free(c.Line, id)
			return driver.Place{}, gone(c.Line, id)
		}
		// Alone in line, the place may change the line's use.
		if err := c.fits(saw.lineup, id); err != nil {
			return driver.Place{}, err
		}
		old.key, old.order, known = string(saw.kvs[i].Key), saw.kvs[i].CreateRevision, true
		conditions = compares(nobodySince(c.line, saw.revision))
	}
}

// ask makes one attempt or, where too little is known of the old place, looks at the line.
func (c *claim) ask(
	ctx context.Context, id string, old leaver, known bool, conditions []*pb.Compare,
) (*pb.TxnResponse, error) {
	switch {
	case !known:
		return c.s.txn(ctx, &pb.TxnRequest{Success: c.look()})
	case old.doubtful:
		return c.s.txn(ctx, c.exchange(id, old, conditions)) // it writes the record, which others compare
	default:
		return c.s.commit(ctx, c.Line, c.exchange(id, old, conditions))
	}
}

// exchange removes the old place and makes the new one, if the conditions hold. It fences
// when an earlier request to make the old place may be under way.
func (c *claim) exchange(id string, old leaver, conditions []*pb.Compare) *pb.TxnRequest {
	t := &pb.TxnRequest{
		Compare: append(conditions, createdAt(old.key, old.order), none(one(c.key)), c.s.unfenced()),
		Success: append(requests(c.join()), c.s.removal(old.key, id)...),
		Failure: c.look(),
	}
	if old.doubtful {
		t.Success = append(t.Success, c.s.fenceOff())
	}
	t.Success = append(t.Success, c.ahead())
	return t
}

func (c *claim) swapped(ctx context.Context, id string, old leaver, answer *pb.TxnResponse) (driver.Place, error) {
	if old.doubtful {
		c.s.fence.moved(answer.Header.Revision)
		c.s.spots.certain(c.Line, id)
	}
	c.s.spots.free(c.Line, id)
	return c.inLine(ctx, answer, answer.Header.Revision)
}
