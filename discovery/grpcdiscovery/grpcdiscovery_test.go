package grpcdiscovery_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
	"github.com/holdgate/holdgate/discovery/grpcdiscovery"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = time.Minute

const roundRobin = `{"loadBalancingConfig": [{"round_robin": {}}]}`

// start returns a client of the store and its handle, which end with the test.
func start(t *testing.T, store *memdriver.Store) (*holdgate.Client, *memdriver.Driver) {
	t.Helper()
	drv := store.Connect(nil)
	client, err := holdgate.New(drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		drv.SetLink(memdriver.LinkUp)
		if err := client.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return client, drv
}

// serve starts a server that answers health checks, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	done := make(chan struct{})
	go func() { // ends with the server
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() { server.Stop(); <-done })
	return l.Addr().String()
}

func register(t *testing.T, client *holdgate.Client, addr string) *discovery.Registration {
	t.Helper()
	r, err := discovery.Register(t.Context(), client, "orders", discovery.Instance{ID: addr, Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// dial connects to the service.
func dial(t *testing.T, client *holdgate.Client, o *grpcdiscovery.Options) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("holdgate:///orders",
		grpc.WithResolvers(grpcdiscovery.NewBuilder(client, o)),
		grpc.WithDefaultServiceConfig(roundRobin),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// call makes one call, and returns who answered.
func call(ctx context.Context, conn *grpc.ClientConn, o ...grpc.CallOption) (string, error) {
	var p peer.Peer
	_, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}, append(o, grpc.Peer(&p))...)
	if err != nil {
		return "", err
	}
	return p.Addr.String(), nil
}

// wantCalls waits until calls go to all of these servers, and to no other.
func wantCalls(t *testing.T, conn *grpc.ClientConn, servers ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	slices.Sort(servers)
	for {
		answered := map[string]bool{}
		for range 2 * len(servers) {
			addr, err := call(ctx, conn, grpc.WaitForReady(true))
			if err != nil {
				t.Fatalf("calls to %q: %v", servers, err)
			}
			answered[addr] = true
		}
		if slices.Equal(slices.Sorted(maps.Keys(answered)), servers) {
			return
		}
	}
}

// Calls follow the instances as they come and go, and go on while the store is away.
func TestCallsFollow(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	server, _ := start(t, store)
	caller, link := start(t, store)
	one, two, three := serve(t), serve(t), serve(t)
	first := register(t, server, one)
	conn := dial(t, caller, nil)
	wantCalls(t, conn, one)
	register(t, server, two)
	wantCalls(t, conn, one, two)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, conn, two)

	link.SetLink(memdriver.LinkRefuses)
	last := register(t, server, three)
	for range 20 {
		addr, err := call(t.Context(), conn)
		if err != nil || addr != two {
			t.Fatalf("while the store is away: %q, %v", addr, err)
		}
	}
	link.SetLink(memdriver.LinkUp)
	wantCalls(t, conn, two, three)
	if err := last.Update(t.Context(), discovery.Instance{Addr: one}); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, conn, one, two)
}

// Without an instance calls fail, and those that can wait do.
func TestNoInstance(t *testing.T) {
	t.Parallel()
	client, _ := start(t, memdriver.NewStore())
	conn := dial(t, client, nil)
	_, err := call(t.Context(), conn)
	wantCode(t, err, codes.Unavailable)
	waits := make(chan error, 1)
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	go func() { // ends with the call
		_, err := call(ctx, conn, grpc.WaitForReady(true))
		waits <- err
	}()
	addr := serve(t)
	r := register(t, client, addr)
	if err := <-waits; err != nil {
		t.Error(err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for { // until the connection knows
		if _, err = call(ctx, conn); err != nil {
			break
		}
	}
	wantCode(t, err, codes.Unavailable)
}

// A store that is not reached is told, rather than waited for without end.
func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := memdriver.NewStore()
			server, _ := start(t, store)
			caller, drv := start(t, store)
			drv.SetLink(link)
			conn := dial(t, caller, &grpcdiscovery.Options{Patience: 10 * time.Millisecond})
			ctx, stop := context.WithTimeout(t.Context(), soon)
			defer stop()
			_, err := call(ctx, conn)
			wantCode(t, err, codes.Unavailable)
			addr := serve(t)
			register(t, server, addr)
			drv.SetLink(memdriver.LinkUp)
			wantCalls(t, conn, addr)
		})
	}
}

// The end of the client is told.
func TestClientIsClosed(t *testing.T) {
	t.Parallel()
	client, err := holdgate.New(memdriver.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	conn := dial(t, client, nil)
	if err = client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	_, err = call(ctx, conn)
	wantCode(t, err, codes.Unavailable)
}

func TestTargets(t *testing.T) {
	t.Parallel()
	client, _ := start(t, memdriver.NewStore())
	for _, target := range []string{"holdgate:///", "holdgate://orders", "holdgate://orders/", "holdgate://store/orders"} {
		conn, err := grpc.NewClient(target,
			grpc.WithResolvers(grpcdiscovery.NewBuilder(client, nil)),
			grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			continue // refused at once
		}
		ctx, stop := context.WithTimeout(t.Context(), soon)
		_, err = call(ctx, conn)
		stop()
		if err == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("%s: %v", target, err)
		}
		if err = conn.Close(); err != nil {
			t.Error(err)
		}
	}
}

func wantCode(t *testing.T, err error, code codes.Code) {
	t.Helper()
	if status.Code(err) != code {
		t.Errorf("got %v; want the code %v", err, code)
	}
}

func Example() {
	ctx := context.Background()
	client, _ := holdgate.New(memdriver.New(), nil) // in a program: a driver of a store
	defer client.Close(ctx)
	conn, err := grpc.NewClient("holdgate:///orders",
		grpc.WithResolvers(grpcdiscovery.NewBuilder(client, nil)),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}]}`),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Println(conn.Target())
	// Output:
	// holdgate:///orders
}
