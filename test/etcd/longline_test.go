package etcd_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// keysRead counts the keys that reads have brought.
type keysRead struct{ n atomic.Int64 }

func (k *keysRead) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	if found, ok := reply.(*pb.RangeResponse); ok && err == nil {
		k.n.Add(int64(len(found.Kvs)))
	}
	return err
}

// In a long line each place has watches that begin later than what they watch was seen. If
// each then looked at all places ahead, a line of n would cost n squared to form.
func TestALongLineFormsWithoutLooksAtAllOfIt(t *testing.T) {
	t.Parallel()
	const processes, each, perPlace = 5, 60, 30
	cluster, read := etcdserver.Start(t, 1), new(keysRead)
	holder, held := openSession(t, newDriver(t, cluster, nil), time.Minute), mutex("orders")
	if _, err := holder.Enter(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	var all, entered sync.WaitGroup
	for range processes {
		d, err := etcddriver.New(cluster.Client(t, grpc.WithChainUnaryInterceptor(read.intercept)), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		ses := openSession(t, d, time.Minute)
		for range each {
			entered.Add(1)
			all.Go(func() { // ends after its turn
				takeTurn(t, ses, entered.Done)
			})
		}
	}
	entered.Wait()
	if err := holder.Leave(t.Context(), held.Line, held.ID); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	const places = processes * each
	got := read.n.Load()
	t.Logf("a line of %d places read %d keys", places, got)
	if got > places*perPlace {
		t.Errorf("a line of %d places read %d keys, want at most %d for each", places, got, perPlace)
	}
}

// takeTurn takes the lock once.
func takeTurn(t *testing.T, ses driver.Session, entered func()) {
	t.Helper()
	c := mutex("orders")
	p, err := ses.Enter(t.Context(), c)
	entered()
	for err == nil && !p.Granted {
		p, err = ses.Wait(t.Context(), p)
	}
	if err == nil {
		err = ses.Leave(t.Context(), c.Line, c.ID)
	}
	if err != nil {
		t.Error(err)
	}
}
