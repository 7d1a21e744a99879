package etcd_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// detour keeps the next request of a method from the store until it is let go, long
// after its caller was told that no answer came: as a member does that was stopped.
type detour struct {
	mu     sync.Mutex
	method string // the one to hold, empty for none
	held   func() error
}

func (d *detour) hold(method string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.method = method
}

// letGo has the store carry the request out.
func (d *detour) letGo(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	late := d.held
	d.held = nil
	d.mu.Unlock()
	if late == nil {
		t.Fatal("no request was held")
	}
	if err := late(); err != nil {
		t.Fatalf("the late request: %v", err)
	}
}

func (d *detour) intercept(
	ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	d.mu.Lock()
	mine := method == d.method
	if mine {
		d.method = ""
		d.held = func() error { return invoke(context.WithoutCancel(ctx), method, req, reply, cc) }
	}
	d.mu.Unlock()
	if !mine {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	for _, o := range opts {
		if p, ok := o.(grpc.PeerCallOption); ok {
			p.PeerAddr.Addr = &net.TCPAddr{} // it went out on a connection
		}
	}
	return status.Error(codes.Unavailable, "error reading from server: EOF")
}

const (
	txn         = "/etcdserverpb.KV/Txn"
	deleteRange = "/etcdserverpb.KV/DeleteRange"
)

// withDetour is a session whose requests can be held up, and another handle to look.
func withDetour(t *testing.T) (*detour, driver.Session, driver.Driver) {
	t.Helper()
	cluster := etcdserver.Start(t, 1)
	way := new(detour)
	d, err := etcddriver.New(cluster.Client(t, grpc.WithChainUnaryInterceptor(way.intercept)), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return way, openSession(t, d, time.Minute), newDriver(t, cluster, nil)
}

func unanswered(t *testing.T, err error, what string) {
	t.Helper()
	if !errors.Is(err, driver.ErrUnknownOutcome) {
		t.Fatalf("%s that was held up: got the error %v, want an unknown outcome", what, err)
	}
}

func TestAnEnterThatWasGivenUpComesTooLate(t *testing.T) {
	t.Parallel()
	way, ses, looker := withDetour(t)
	c := mutex("orders")
	way.hold(txn)
	_, err := ses.Enter(t.Context(), c)
	unanswered(t, err, "Enter")
	if err := ses.Leave(t.Context(), c.Line, c.ID); !errors.Is(err, driver.ErrGone) {
		t.Fatalf("Leave of a place that was not made yet: got the error %v", err)
	}
	way.letGo(t)
	if places := line(t, looker, "orders"); len(places) != 0 {
		t.Errorf("the request that was given up made the place %+v", places[0])
	}
	// The session works on.
	if p := enter(t, ses, mutex("orders")); !p.Granted {
		t.Error("the next place is not granted")
	}
}

func TestARepeatedEnterMakesNoGhost(t *testing.T) {
	t.Parallel()
	way, ses, looker := withDetour(t)
	c := mutex("orders")
	way.hold(txn)
	_, err := ses.Enter(t.Context(), c)
	unanswered(t, err, "Enter")
	p := enter(t, ses, c)
	leave(t, ses, p)
	way.letGo(t)
	if places := line(t, looker, "orders"); len(places) != 0 {
		t.Errorf("the first attempt made the place %+v after the second was left", places[0])
	}
}

func TestARefusedTryMakesNoGhost(t *testing.T) {
	t.Parallel()
	way, ses, looker := withDetour(t)
	other := openSession(t, looker, time.Minute)
	c := mutex("orders")
	c.Try = true
	way.hold(txn)
	_, err := ses.Enter(t.Context(), c)
	unanswered(t, err, "a try")
	holder := enter(t, other, mutex("orders"))
	if _, err := ses.Enter(t.Context(), c); !errors.Is(err, driver.ErrBusy) {
		t.Fatalf("the try, repeated: got the error %v, want busy", err)
	}
	leave(t, other, holder)
	way.letGo(t)
	if places := line(t, looker, "orders"); len(places) != 0 {
		t.Errorf("the first attempt made the place %+v after the second was refused", places[0])
	}
}

func TestALateSwapChangesNothing(t *testing.T) {
	t.Parallel()
	way, ses, looker := withDetour(t)
	old, c := enter(t, ses, mutex("orders")), mutex("orders")
	way.hold(txn)
	_, err := ses.Swap(t.Context(), old, c)
	unanswered(t, err, "Swap")
	again, err := ses.Swap(t.Context(), old, c)
	if err != nil {
		t.Fatal(err)
	}
	leave(t, ses, again)
	next := enter(t, ses, mutex("orders"))
	way.letGo(t)
	if places := line(t, looker, "orders"); len(places) != 1 || places[0].ID != next.ID {
		t.Errorf("after the late swap the line is %+v, want only the next place", places)
	}
}

// A key is used again for the next place; so the delete of the last one must not be under
// way any more.
func TestALateLeaveTakesNobodyElse(t *testing.T) {
	t.Parallel()
	way, ses, looker := withDetour(t)
	p := enter(t, ses, mutex("orders"))
	way.hold(deleteRange)
	unanswered(t, ses.Leave(t.Context(), p.Line, p.ID), "Leave")
	leave(t, ses, p)
	next := enter(t, ses, mutex("orders"))
	way.letGo(t)
	if places := line(t, looker, "orders"); len(places) != 1 || places[0].ID != next.ID {
		t.Errorf("after the late leave the line is %+v, want the next place", places)
	}
}

// A mark that is written after its place has left would stand alone in the line, and be in
// the way of everybody.
func TestALateMarkMarksNothing(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	way := new(detour)
	evictor, err := etcddriver.New(cluster.Client(t, grpc.WithChainUnaryInterceptor(way.intercept)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer evictor.Close()
	ses := openSession(t, newDriver(t, cluster, nil), time.Minute)
	p := enter(t, ses, mutex("orders"))
	way.hold(txn)
	unanswered(t, evictor.Evict(t.Context(), p.Line, p.ID, driver.Eviction{Reason: "go"}), "Evict")
	leave(t, ses, p)
	way.letGo(t)
	if n := get(t, cluster.Client(t), "/holdgate/orders/", clientv3.WithPrefix()).Count; n != 0 {
		t.Errorf("%d keys are left in the line", n)
	}
	other := openSession(t, evictor, time.Minute)
	if p := enter(t, other, mutex("orders")); !p.Granted {
		t.Error("the next place waits for nobody")
	}
	if marks, err := ses.Renew(t.Context()); err != nil || len(marks) != 0 {
		t.Errorf("Renew told of %d marks, error %v, want none", len(marks), err)
	}
}
