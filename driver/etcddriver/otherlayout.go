package etcddriver

import (
	"fmt"
	"strconv"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// Two layouts on one name exclude nobody from each other: the key "orders" is a lock of the
// layout "single", the keys "orders/<lease>" are a queue. So whoever would be the first in
// either has its transaction fail while there is one of the other. Other software of the
// two kinds does not look.

// notSingle is true while the line's own name is no lock of the layout "single": no key,
// or one without a lease.
func (c *claim) notSingle() *pb.Compare {
	return livesBy(c.s.d.layout.itself(c.Line), 0)
}

// lookAtName reads what notSingle judges.
func (c *claim) lookAtName() *pb.RequestOp { return get(one(c.s.d.layout.itself(c.Line))) }

// noSingle says that it is one after all.
func noSingle(kvs []*mvccpb.KeyValue) error {
	if len(kvs) == 0 || kvs[0].Lease == 0 {
		return nil
	}
	return fmt.Errorf("%w: the key %q is a lock of the layout %q, on lease %s: nobody can stand in line there",
		driver.ErrMismatch, kvs[0].Key, driver.LayoutSingle, leaseText(kvs[0].Lease))
}

// perName is how many keys below a lock are looked at. Locks that are one key each may stand
// below another one, in any number, and a queue's places mostly are first among them: the
// names of leases are digits.
const perName = 200

// lookBelow reads the first of them, with their values: from 3.7 on etcd leaves the lease
// out beside a value that nobody wants.
func (c *claim) lookBelow() *pb.RequestOp {
	op := get(c.s.d.layout.below(c.Line))
	op.GetRequestRange().Limit = perName
	return op
}

// noQueue says that somebody stands in line below the key of a lock.
func (c *claim) noQueue(below []*mvccpb.KeyValue) error {
	prefix := c.s.d.layout.below(c.Line).from
	for _, kv := range below {
		if isSpot(string(kv.Key[len(prefix):]), kv.Lease) {
			return fmt.Errorf("%w: places of the layout %q stand below %q, as %q",
				driver.ErrMismatch, driver.LayoutQueue, c.Line, kv.Key)
		}
	}
	return nil
}

// isSpot reports whether the end of a key is named after the key's lease, as places are: ours,
// and those of etcdctl, the lock service and Go's concurrency.Mutex.
func isSpot(end string, lease int64) bool {
	first, _, _ := strings.Cut(end, ":")
	return lease != 0 && (first == leaseText(lease) || end == strconv.FormatInt(lease, 16))
}
