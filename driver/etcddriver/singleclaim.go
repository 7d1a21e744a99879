package etcddriver

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// takeKey makes the key of a lock once there is none. One transaction takes a free lock.
// Who finds it taken follows the end of that key, so that waiting costs the store nothing;
// when it ends all who wait try again, and one of them gets it.
func (c *claim) takeKey(ctx context.Context) (driver.Place, error) {
	t := c.takeFree(none(c.s.d.layout.below(c.Line)))
	for {
		answer, err := c.s.txn(ctx, t)
		if err != nil {
			return driver.Place{}, err
		}
		revision := answer.Header.Revision
		if answer.Succeeded {
			return c.alone(revision), nil
		}
		saw, err := c.saw(answer, revision)
		if err != nil {
			return driver.Place{}, err
		}
		switch i := saw.find(c.ID); {
		case i >= 0 && saw.own(c.ID, c.s.lease) < 0:
			return driver.Place{}, fmt.Errorf("%w: place ID %s is in use by another session", driver.ErrInvalid, c.ID)
		case i >= 0: // an earlier attempt has made it
			return saw.place(i), nil
		}
		if err := c.noQueue(keysIn(answer, 2)); err != nil {
			return driver.Place{}, err
		}
		if len(saw.places) > 0 {
			if c.Try {
				return driver.Place{}, saw.busy()
			}
			if err := c.awaitEnd(ctx, revision); err != nil {
				return driver.Place{}, err
			}
		}
		t = c.takeFree(nobodySince(c.s.d.layout.below(c.Line), revision))
	}
}

// takeFree makes the key if there is none, on one more condition.
func (c *claim) takeFree(condition *pb.Compare) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: compares(none(c.line), condition, c.s.unfenced()),
		Success: requests(c.join()),
		Failure: append(c.look(), c.lookBelow()),
	}
}

// awaitEnd returns when the key that was seen may have ended.
func (c *claim) awaitEnd(ctx context.Context, seen int64) error {
	t, err := c.s.d.tracks.look(c.Line, trail{key: c.key, ending: true})
	if err != nil {
		return err
	}
	defer c.s.d.tracks.done(t)
	if _, _, err = c.s.awaitChange(ctx, []*track{t}, seen, nil); oneOf(err, errCompacted) {
		return nil // look again
	}
	return err
}
