package etcd_test

import (
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// tried is a claim that does not wait.
func tried(line string) driver.Claim {
	c := mutex(line)
	c.Try = true
	return c
}

// Whoever comes first, the other layout is refused on the same name, and leaves nothing.
func TestTwoLayoutsOnOneName(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	d := newDriver(t, cluster, &etcddriver.Options{Verbatim: true})
	queue := openSession(t, d, time.Minute)
	single := openSession(t, newDriver(t, cluster, &etcddriver.Options{Layout: driver.LayoutSingle}), time.Minute)
	escaped := openSession(t, newDriver(t, cluster, &etcddriver.Options{Prefix: "/locks"}), time.Minute)
	refused := func(ses driver.Session, c driver.Claim) {
		t.Helper()
		if _, err := ses.Enter(t.Context(), c); !errors.Is(err, driver.ErrMismatch) {
			t.Errorf("Enter of %q: got the error %v, want a mismatch", c.Line, err)
		}
		if err := ses.Leave(t.Context(), c.Line, c.ID); !errors.Is(err, driver.ErrGone) {
			t.Errorf("Leave after that: got the error %v, want gone", err)
		}
	}

	one := enter(t, single, mutex("/locks/orders"))
	refused(queue, mutex("/locks/orders"))
	refused(queue, tried("/locks/orders"))
	refused(escaped, mutex("orders"))
	leave(t, single, one)

	place := enter(t, queue, mutex("/locks/orders"))
	refused(single, mutex("/locks/orders"))
	refused(single, tried("/locks/orders"))
	leave(t, queue, place)

	place = enter(t, escaped, mutex("orders"))
	refused(single, mutex("/locks/orders"))
	leave(t, escaped, place)

	// The same with a lock of other software that is a queue.
	theirs, err := concurrency.NewSession(cluster.Client(t))
	if err != nil {
		t.Fatal(err)
	}
	mutexOfTheirs := concurrency.NewMutex(theirs, "/locks/orders")
	if err := mutexOfTheirs.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(single, mutex("/locks/orders"))
	if err := mutexOfTheirs.Unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	leave(t, single, enter(t, single, mutex("/locks/orders")))
}

// Names of locks that are one key each have nothing to do with each other, and a key
// without a lease, which no lock is, is in nobody's way.
func TestOneKeyAboveAnother(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	single := openSession(t, newDriver(t, cluster, &etcddriver.Options{Layout: driver.LayoutSingle}), time.Minute)
	queue := openSession(t, newDriver(t, cluster, &etcddriver.Options{Verbatim: true}), time.Minute)
	below := enter(t, single, mutex("/jobs/eu"))
	above := enter(t, single, mutex("/jobs"))
	beside := enter(t, single, tried("/jobs/us"))
	for _, p := range []driver.Place{below, above, beside} {
		leave(t, single, p)
	}
	if _, err := cluster.Client(t).Put(t.Context(), "/config", "a setting"); err != nil {
		t.Fatal(err)
	}
	leave(t, queue, enter(t, queue, mutex("/config")))
}

// Who waits for a key asks nothing of the server, and is told when it ends.
func TestAWaitForOneKeyIsQuiet(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	client := cluster.Client(t)
	lease := grant(t, client, 60)
	if _, err := client.Put(t.Context(), "/jobs", "of somebody", clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
	ses := openSession(t, newDriver(t, cluster, &etcddriver.Options{Layout: driver.LayoutSingle}), time.Minute)
	granted := make(chan error, 1)
	// Ends with the key, or with the test.
	go func() {
		_, err := ses.Enter(t.Context(), mutex("/jobs"))
		granted <- err
	}()
	// It tries, watches, and tries once more when the watch began later than that.
	server := cluster.Members[0]
	before := server.Served(t)
	for quiet := 0; quiet < 5; wait(t, 100*time.Millisecond) {
		now := server.Served(t)
		if since := now.Since(before); since.Writes()+since.Reads() == 0 {
			quiet++
		} else {
			quiet = 0
		}
		before = now
	}
	notYet(t, granted, "waiting for the key")
	if _, err := client.Revoke(t.Context(), lease.ID); err != nil {
		t.Fatal(err)
	}
	within(t, granted, "waiting for the key")
	if since := server.Served(t).Since(before); since.Writes() != 1 || since.Reads() != 0 {
		t.Errorf("after the key had ended it took %v writes and %v reads, want one write", since.Writes(), since.Reads())
	}
}
