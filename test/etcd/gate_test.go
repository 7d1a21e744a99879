package etcd_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
)

// flights is how many transactions a handle has under way before others gather.
const flights = 4

// gate holds the first transactions of a client back until it is opened, so that what comes
// after them gathers.
type gate struct {
	first   atomic.Int64
	held    chan struct{} // has a token for each that is held
	open    chan struct{}
	onBatch func() // nil, or called before a batch is sent

	requests atomic.Int64
	batches  atomic.Int64
}

func newGate() *gate {
	return &gate{held: make(chan struct{}, flights), open: make(chan struct{})}
}

// through is the option that has a client's requests come by.
func (g *gate) through() grpc.DialOption { return grpc.WithChainUnaryInterceptor(g.intercept) }

func (g *gate) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	g.requests.Add(1)
	t, ok := req.(*pb.TxnRequest)
	if ok && len(t.Compare) == 0 && len(t.Success) > 1 {
		g.batches.Add(1)
		if g.onBatch != nil {
			g.onBatch()
		}
	}
	if ok && g.first.Add(1) <= flights {
		g.held <- struct{}{}
		select {
		case <-g.open:
		case <-ctx.Done():
		}
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

// crowd is a session with as much under way as may be, all of it held.
type crowd struct {
	*gate
	d   *etcddriver.Driver
	ses driver.Session
}

// newCrowd makes one of a client that goes through the gate.
func newCrowd(t *testing.T, client *clientv3.Client, g *gate, o *etcddriver.Options) *crowd {
	t.Helper()
	d, err := etcddriver.New(client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	c := &crowd{gate: g, d: d, ses: openSession(t, d, time.Minute)}
	for n := range flights {
		go func() { _, _ = c.ses.Enter(t.Context(), mutex(fmt.Sprintf("ahead %d", n))) }() // ends with the handle at the latest
	}
	for range flights {
		<-g.held
	}
	g.requests.Store(0)
	return c
}

// gather calls f at once for each of so many, opens the gate when all are about to ask, and
// returns when all are done.
func (c *crowd) gather(n int, f func(i int)) {
	var begun, all sync.WaitGroup
	for i := range n {
		begun.Add(1)
		all.Go(func() { // ends with its call
			begun.Done()
			f(i)
		})
	}
	begun.Wait()
	close(c.open)
	all.Wait()
}

// atOnce calls f at once for each of so many, and returns when all are done.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) }) // ends with its call
	}
	all.Wait()
}
