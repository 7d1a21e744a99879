package redis_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/redisserver"
)

// startPair starts a primary and a replica that follows it.
func startPair(t *testing.T) (primary, replica *redisserver.Server) {
	t.Helper()
	primary = redisserver.Start(t, redisserver.Options{Config: []string{"--repl-diskless-sync-delay", "0"}})
	host, port, err := net.SplitHostPort(primary.Address())
	if err != nil {
		t.Fatal(err)
	}
	replica = redisserver.Start(t, redisserver.Options{Config: []string{"--replicaof", host, port}})
	awaitReplicas(t, connect(t, primary, nil), 1)
	return primary, replica
}

// awaitReplicas waits until so many replicas follow: WAIT is the server's own way.
func awaitReplicas(t *testing.T, primary redis.UniversalClient, n int64) {
	t.Helper()
	do(t, primary, "SET", "any", "thing")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		confirmed, err := primary.Do(ctx, "WAIT", n, 1000).Int64()
		switch {
		case err != nil:
			t.Fatal(err)
		case confirmed >= n:
			return
		}
	}
}

func newReplicated(t *testing.T, c redis.UniversalClient, replicas int) *actor {
	t.Helper()
	d, err := redisdriver.New(c, &redisdriver.Options{Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	a := &actor{t: t, drv: d}
	a.open(time.Minute)
	return a
}

// With Replicas a place counts once they have it; while they do not, it is given back, and
// the same claim may be tried again.
func TestReplicas(t *testing.T) {
	t.Parallel()
	primary, replica := startPair(t)
	a := newReplicated(t, connect(t, primary, nil), 1)
	p := a.take("orders")
	replicated := connect(t, replica, nil)
	if n := do(t, replicated, "HEXISTS", "{holdgate}:line:orders", p.ID).(int64); n != 1 {
		t.Error("Enter was answered before the replica had the place")
	}
	a.leave(p)

	replica.Pause()
	c := mutex("orders")
	_, err := a.ses.Enter(t.Context(), c)
	fails(t, err, driver.ErrUnavailable, "Enter while the replica hangs")
	_, err = a.ses.Renew(t.Context())
	fails(t, err, driver.ErrUnknownOutcome, "Renew while the replica hangs")
	_, err = a.ses.(driver.AllTrier).TryAll(t.Context(), []driver.Claim{mutex("a"), mutex("b")})
	fails(t, err, driver.ErrUnavailable, "TryAll while the replica hangs")
	for _, line := range []string{"orders", "a", "b"} {
		if l, err := a.drv.Line(t.Context(), line); err != nil || len(l.Places) != 0 {
			t.Fatalf("the Enter that was undone left %+v in %q, error %v", l.Places, line, err)
		}
	}
	replica.Resume()
	awaitReplicas(t, connect(t, primary, nil), 1)
	if p := a.enter(c); !p.Granted {
		t.Error("the same claim is not granted when the replica is back")
	}
	if _, err := a.ses.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
}
