package redis_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/redisserver"
)

func connectSentinels(t *testing.T, s *redisserver.Sentinels) *redis.Client {
	t.Helper()
	c := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: s.Name, SentinelAddrs: s.Addresses()})
	t.Cleanup(func() { c.Close() })
	return c
}

// The primary is killed. What its replica had stands: the holder holds, and the waiter,
// whose subscription went with the primary, is granted by the new one.
func TestFailoverKeepsWhatWasReplicated(t *testing.T) {
	t.Parallel()
	sentinels := redisserver.StartSentinels(t)
	a := newReplicated(t, connectSentinels(t, sentinels), 1)
	b := newReplicated(t, connectSentinels(t, sentinels), 1)
	held := a.take("orders")
	wait := b.wait(b.enter(mutex("orders")))
	sentinels.Primary.Kill()
	sentinels.AwaitFailover()
	// There is no replica any more, so that nothing can be confirmed; it is read.
	patiently(t, func() error {
		l, err := a.drv.Line(t.Context(), "orders")
		if err == nil && (len(l.Places) != 2 || l.Places[0].ID != held.ID) {
			t.Errorf("after the failover %+v stand", l.Places)
		}
		return err
	})
	unsure := false
	patiently(t, func() error {
		err := a.ses.Leave(t.Context(), held.Line, held.ID)
		if unsure && errors.Is(err, driver.ErrGone) {
			return nil // one whose answer was lost has done it
		}
		unsure = unsure || errors.Is(err, driver.ErrUnknownOutcome)
		return err
	})
	granted(t, wait)
}

// What had not reached the replica is forgotten: another is granted while the holder
// believes. The holder is told at its next renewal, and its token is the smaller one. This is
// what best effort means.
func TestFailoverForgetsWhatWasNotReplicated(t *testing.T) {
	t.Parallel()
	sentinels := redisserver.StartSentinels(t)
	a := &actor{t: t, drv: newDriver(t, connectSentinels(t, sentinels))}
	b := &actor{t: t, drv: newDriver(t, connectSentinels(t, sentinels))}
	b.open(time.Minute)
	first := b.take("invoices") // its session is replicated
	awaitReplicas(t, connect(t, sentinels.Primary, nil), 1)

	// The replica hears nothing more of the primary.
	sentinels.Replica.Pause()
	sentinels.Primary.Do("CLIENT", "KILL", "TYPE", "replica")
	a.open(time.Minute)
	lost := a.take("orders")
	sentinels.Primary.Kill()
	sentinels.Replica.Resume()
	sentinels.AwaitFailover()

	var second driver.Place
	c := mutex("orders")
	patiently(t, func() (err error) { second, err = b.ses.Enter(t.Context(), c); return err })
	if !second.Granted {
		t.Fatal("the replica had the place after all")
	}
	if second.Order <= lost.Order || second.Order <= first.Order {
		t.Errorf("got the order %d after the order %d that was lost", second.Order, lost.Order)
	}
	patiently(t, func() error {
		_, err := a.ses.Renew(t.Context())
		if errors.Is(err, driver.ErrSessionLost) {
			return nil
		}
		if err == nil {
			t.Error("the holder that was forgotten renews")
		}
		return err
	})
}
