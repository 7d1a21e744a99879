package etcd_test

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// trips counts requests that are answered.
type trips struct{ n atomic.Int64 }

func (c *trips) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	// A session looks at itself after its first renewal, when nobody waits for it.
	if r, ok := req.(*etcdserverpb.RangeRequest); !ok || !bytes.Contains(r.Key, []byte("/%sessions/")) {
		c.n.Add(1)
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

// One trip to take what is free or joins what is expected, one to give it back; two for a
// try that fits beside others.
func TestTrips(t *testing.T) {
	t.Parallel()
	cluster, count := etcdserver.Start(t, 1), new(trips)
	d, err := etcddriver.New(cluster.Client(t, grpc.WithChainUnaryInterceptor(count.intercept)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	if _, err := ses.Renew(t.Context()); err != nil { // the look at the version is over, most likely
		t.Fatal(err)
	}
	try := func(c driver.Claim) driver.Claim { c.Try = true; return c }
	permits := func() driver.Claim {
		c := mutex("gpus")
		c.Kind, c.Capacity = driver.KindSemaphore, 4
		return c
	}
	free, tried, first, second := mutex("orders"), try(mutex("orders")), permits(), try(permits())
	for _, step := range []struct {
		name string
		want int64
		call func() error
	}{
		{"entering a free lock", 1, func() error { _, err := ses.Enter(t.Context(), free); return err }},
		{"leaving it", 1, func() error { return ses.Leave(t.Context(), free.Line, free.ID) }},
		{"trying it", 1, func() error { _, err := ses.Enter(t.Context(), tried); return err }},
		{"taking the first permit", 1, func() error { _, err := ses.Enter(t.Context(), first); return err }},
		{"trying the second", 2, func() error { _, err := ses.Enter(t.Context(), second); return err }},
	} {
		before := count.n.Load()
		if err := step.call(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := count.n.Load() - before; got != step.want {
			t.Errorf("%s took %d requests, want %d", step.name, got, step.want)
		}
	}
}

// Tries of a line with room for all must not keep each other out: a transaction that was
// refused only because somebody else came looks again.
func TestTriesAtOnceAllFit(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	const permits = 8
	for round := range 20 {
		var all sync.WaitGroup
		for range permits {
			ses := openSession(t, newDriver(t, cluster, nil), time.Minute)
			all.Go(func() { // ends with its request
				c := mutex("gpus")
				c.Kind, c.Capacity, c.Try = driver.KindSemaphore, permits, true
				p, err := ses.Enter(t.Context(), c)
				if err != nil || !p.Granted {
					t.Errorf("round %d: granted %v, error %v, though there is room for all", round, p.Granted, err)
				}
			})
		}
		all.Wait()
		d := newDriver(t, cluster, nil)
		for _, p := range line(t, d, "gpus") {
			if err := d.Evict(t.Context(), "gpus", p.ID, driver.Eviction{Force: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
