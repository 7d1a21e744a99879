package zk_test

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// A free lock is one request to take and one to give back. The Lock that comes with the
// client asks three times.
func TestTripsOfAFreeLock(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	_, c := process(t, e.Addresses(), zkdriver.Options{}, 60*time.Second)
	cycle := func() {
		hold, err := c.Mutex("orders").Lock(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := hold.Release(bounded(t)); err != nil {
			t.Fatal(err)
		}
	}
	cycle() // opens the session, and makes the nodes above
	const cycles = 200
	before := e.Servers[0].Received()
	for range cycles {
		cycle()
	}
	// Renewals and pings come in between.
	if got := e.Servers[0].Received() - before; got < 2*cycles || got > 2*cycles+cycles/5 {
		t.Errorf("%d times taken and given back took %d requests, want 2 each", cycles, got)
	}
}
