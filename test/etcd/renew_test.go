package etcd_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

func clientOf(m *etcdserver.Member) clientv3.Config {
	return clientv3.Config{Endpoints: []string{m.Endpoint()}}
}

// newTerm lets the next read look as if the leader had changed just before it.
type newTerm struct{ armed atomic.Bool }

func (n *newTerm) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	if answer, ok := reply.(*pb.RangeResponse); ok && err == nil && n.armed.CompareAndSwap(true, false) {
		answer.Header.RaftTerm++
	}
	return err
}

// A leader that was replaced while it slept renews leases as if it still led, and the
// one that replaced it counts from before. Two would believe.
func TestARenewalAcrossAChangeOfLeaderDoesNotCount(t *testing.T) {
	t.Parallel()
	cluster, term := etcdserver.Start(t, 1), new(newTerm)
	d, err := etcddriver.New(cluster.Client(t, grpc.WithChainUnaryInterceptor(term.intercept)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	renew := func() error { _, err := ses.Renew(t.Context()); return err }
	if err := renew(); err != nil {
		t.Fatal(err)
	}
	term.armed.Store(true)
	if err := renew(); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("a renewal in one term, confirmed in another: got the error %v, want unavailable", err)
	}
	if err := renew(); err != nil {
		t.Errorf("the next renewal: %v", err)
	}
}

// The basis of that: what is answered tells the term, of renewals as of reads.
func TestFactAnswersTellTheTerm(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	client := cluster.Client(t)
	lease := grant(t, client, 60)
	terms := func() (renewal, read uint64) {
		renewed, err := client.KeepAliveOnce(t.Context(), lease.ID)
		if err != nil {
			t.Fatal(err)
		}
		return renewed.RaftTerm, get(t, client, "/a").Header.RaftTerm
	}
	renewal, read := terms()
	if renewal != read || read == 0 {
		t.Fatalf("a renewal in term %d, and a read after it in term %d, want the same", renewal, read)
	}
	moveLeader(t, cluster)
	if after := get(t, client, "/a").Header.RaftTerm; after <= read {
		t.Errorf("a linearizable read after a change of leader tells term %d, want more than %d", after, read)
	}
	renewal, read = terms()
	if renewal != read {
		t.Errorf("after it a renewal tells term %d, and a read %d, want the same", renewal, read)
	}
}

// An attempt that was not even sent says nothing about a place that an earlier one made. Its
// holder must still be told when it is asked to go.
func TestAnEnterThatWasNotSentForgetsNothing(t *testing.T) {
	t.Parallel()
	cluster, link := etcdserver.Start(t, 1), etcdserver.NewLink(t)
	d, err := etcddriver.New(cluster.Client(t, link.Options()...), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	c := mutex("orders")
	p := enter(t, ses, c)
	heal := link.Cut()
	awaitCut(t, ses)
	if _, err := ses.Enter(t.Context(), c); !errors.Is(err, driver.ErrUnavailable) {
		t.Fatalf("Enter over a link that is cut: got the error %v, want unavailable", err)
	}
	heal()
	if err := newDriver(t, cluster, nil).Evict(t.Context(), p.Line, p.ID, driver.Eviction{Reason: "go"}); err != nil {
		t.Fatal(err)
	}
	var marks []driver.Eviction
	surely(t, func(ctx context.Context) (err error) { marks, err = ses.Renew(ctx); return err })
	if len(marks) != 1 || marks[0].PlaceID != p.ID {
		t.Errorf("Renew told of the marks %+v, want the one on %s", marks, p.ID)
	}
}

// awaitCut waits until what is asked over a link that was cut is known not to be sent.
func awaitCut(t *testing.T, ses driver.Session) {
	t.Helper()
	for range 200 {
		if _, err := ses.Enter(t.Context(), mutex("other")); errors.Is(err, driver.ErrUnavailable) {
			return
		}
		wait(t, 10*time.Millisecond)
	}
	t.Fatal("over a link that is cut every request is said to have been sent")
}
