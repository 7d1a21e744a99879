package redis_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/redisserver"
)

func connectCluster(t *testing.T, c *redisserver.Cluster) *redis.ClusterClient {
	t.Helper()
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addresses()})
	t.Cleanup(func() { client.Close() })
	return client
}

// patiently repeats a call while the store says that it cannot do it now, as the core does.
func patiently(t *testing.T, call func() error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := call()
		switch {
		case err == nil:
			return
		case !errors.Is(err, driver.ErrUnavailable) && !errors.Is(err, driver.ErrUnknownOutcome):
			t.Fatal(err)
		case time.Now().After(deadline):
			t.Fatalf("unavailable for %v: %v", patience, err)
		}
	}
}

// A slot is moved, key by key, while one holds, one waits, and others come and go: whatever
// is asked meanwhile is done or refused, never done by half; the waiter is granted through
// the server that has the slot then.
func TestSlotMovedWhileWaiting(t *testing.T) {
	t.Parallel()
	cluster := redisserver.StartCluster(t, 3)
	actors := make([]*actor, 3)
	for i := range actors {
		actors[i] = &actor{t: t, drv: newDriver(t, connectCluster(t, cluster))}
		actors[i].open(time.Minute)
	}
	holder, waiter, other := actors[0], actors[1], actors[2]
	held := holder.take("orders")
	wait := waiter.wait(waiter.enter(mutex("orders")))

	const key = "{holdgate}:deadlines"
	from := cluster.Owner(key)
	var to *redisserver.Server
	for _, s := range cluster.Servers() {
		if s != from {
			to = s
		}
	}
	refused, done := 0, 0
	cluster.Move(key, to, func() {
		c := mutex("invoices")
		p, err := other.ses.Enter(t.Context(), c)
		switch {
		case err == nil && p.Granted:
			done++
			patiently(t, func() error {
				err := other.ses.Leave(t.Context(), c.Line, c.ID)
				if errors.Is(err, driver.ErrGone) || errors.Is(err, driver.ErrUnavailable) {
					return nil // the slot is on its way: it is left below
				}
				return err
			})
		case errors.Is(err, driver.ErrUnavailable), errors.Is(err, driver.ErrUnknownOutcome):
			refused++
		default:
			t.Errorf("Enter while the slot is moved: granted %v, error %v", p.Granted, err)
		}
	})
	t.Logf("while the slot was moved, %d calls were refused and %d done", refused, done)
	if owner := cluster.Owner(key); owner != to {
		t.Fatal("the slot was not moved")
	}
	for _, a := range actors {
		patiently(t, func() error { _, err := a.ses.Renew(t.Context()); return err })
	}
	present, err := other.ses.Present(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range present {
		other.leave(p)
	}
	if l, err := other.drv.Line(t.Context(), "invoices"); err != nil || len(l.Places) != 0 {
		t.Errorf("after the move %+v stand, error %v", l.Places, err)
	}
	select {
	case err := <-wait:
		t.Fatalf("the wait ended while the holder held: %v", err)
	default:
	}
	holder.leave(held)
	granted(t, wait)
}

func TestReplicasOfClusterAreAwaitedWhereTheKeysAre(t *testing.T) {
	t.Parallel()
	cluster := redisserver.StartCluster(t, 3)
	d, err := redisdriver.New(connectCluster(t, cluster), &redisdriver.Options{Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_, err = d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute})
	fails(t, err, driver.ErrUnknownOutcome, "Open where no primary has a replica")
}
