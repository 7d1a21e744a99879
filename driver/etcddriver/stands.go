package etcddriver

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver"
)

// Stands returns a condition for the caller's own transaction that holds exactly while a
// place stands: one that holds its lock, by the name of that and its ID, as holdgate.Hold
// gives it. A transaction with it cannot be carried out after the lock went to another,
// however long its sender was paused. It is stronger than a token: it refuses the old
// holder from the moment when the place is gone, not from the next holder's first write.
//
//	stands, err := drv.Stands(ctx, hold.Name(), hold.PlaceID())
//	answer, err := client.Txn(ctx).If(stands).Then(clientv3.OpPut("order/42", "paid")).Commit()
//	if err == nil && !answer.Succeeded { ... } // the lock was lost
//
// It costs one read; use it for as many transactions of the hold as there are, on the
// cluster where the lock is. It answers driver.ErrGone for a place that is not there, and
// driver.ErrInvalid for one that waits or is of other software.
//
// It tells places apart, not the goroutines of one process that pass a place on among
// themselves (holdgate.Options.Handoff). A goroutine that uses it after its own Release
// may be let in while another of the same process holds.
func (d *Driver) Stands(ctx context.Context, line, placeID string) (clientv3.Cmp, error) {
	l, err := d.lineup(ctx, line)
	if err != nil {
		return clientv3.Cmp{}, err
	}
	i := l.find(placeID)
	switch {
	case i < 0:
		return clientv3.Cmp{}, gone(line, placeID)
	case l.places[i].Foreign:
		return clientv3.Cmp{}, fmt.Errorf("%w: place %q in line %q is of other software", driver.ErrInvalid, placeID, line)
	case !l.granted(i):
		return clientv3.Cmp{}, fmt.Errorf("%w: place %q in line %q waits", driver.ErrInvalid, placeID, line)
	}
	// A key is used again for another place, but a create revision never.
	return clientv3.Compare(clientv3.CreateRevision(string(l.kvs[i].Key)), "=", l.kvs[i].CreateRevision), nil
}
