package etcd_test

import (
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// Whoever polls a lock that somebody holds costs the store no commit: a request that may
// write is agreed on and written down, also when it is refused.
func TestPollingALockThatIsHeldWritesNothing(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	holder, polls := openSession(t, newDriver(t, cluster, nil), time.Minute), openSession(t, newDriver(t, cluster, nil), time.Minute)
	held := mutex("orders")
	if _, err := holder.Enter(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	try := func() error {
		c := mutex("orders")
		c.Try = true
		_, err := polls.Enter(t.Context(), c)
		return err
	}
	refused := func(times int) float64 {
		before := cluster.Members[0].Served(t)
		for range times {
			if err := try(); !errors.Is(err, driver.ErrBusy) {
				t.Fatalf("a try for a lock that is held: got %v, want ErrBusy", err)
			}
		}
		return cluster.Members[0].Served(t).Since(before).Commits()
	}
	// The members agree on things of their own, too, now and then.
	const polled, ofTheirOwn = 100, 10
	if got := refused(polled); got > 1+ofTheirOwn {
		t.Errorf("%d tries for a lock that is held took %v commits, want one", polled, got)
	}
	if err := holder.Leave(t.Context(), held.Line, held.ID); err != nil {
		t.Fatal(err)
	}
	if err := try(); err != nil {
		t.Errorf("a try for a lock that was given back: got %v, want it", err)
	}
}
