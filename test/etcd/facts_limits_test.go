package etcd_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// S78: the store is full. Whoever holds can still give back, and what was refused is told
// as unavailable: it did not happen, and may be tried again.
func TestFactAFullStoreStillDeletes(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1, "--quota-backend-bytes", fmt.Sprint(16<<20))
	client := cluster.Client(t)
	d := newDriver(t, cluster, nil)
	ses, other := openSession(t, d, time.Minute), openSession(t, d, time.Minute)
	held := mutex("held")
	if _, err := ses.Enter(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	lease := grant(t, client, 60)
	put(t, client, "/leased", "", clientv3.WithLease(lease.ID))
	fill(t, client)

	if _, err := client.Grant(t.Context(), 60); !errors.Is(err, rpctypes.ErrNoSpace) {
		t.Errorf("a grant on a full store: got the error %v", err)
	}
	_, enterErr := other.Enter(t.Context(), mutex("free"))
	_, openErr := d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute})
	for what, err := range map[string]error{"Enter": enterErr, "Open": openErr} {
		if !errors.Is(err, driver.ErrUnavailable) || !strings.Contains(err.Error(), "space exceeded") {
			t.Errorf("%s on a full store: got the error %v, want unavailable, and why", what, err)
		}
	}
	if _, err := ses.Renew(t.Context()); err != nil {
		t.Errorf("Renew on a full store: %v", err)
	}
	if err := ses.Leave(t.Context(), held.Line, held.ID); err != nil {
		t.Errorf("Leave on a full store: %v", err)
	}
	if _, err := client.Revoke(t.Context(), lease.ID); err != nil {
		t.Errorf("a revocation on a full store: %v", err)
	}
	if err := other.Close(t.Context()); err != nil {
		t.Errorf("Close on a full store: %v", err)
	}
}

// fill writes until the quota is used up.
func fill(t *testing.T, client *clientv3.Client) {
	t.Helper()
	for i := range 100 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/fill/%d", i), strings.Repeat("x", 1<<20))
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("100 MiB fit in a quota of 16 MiB")
}

// asUser turns authentication on and returns a client whose rights are those of a prefix.
func asUser(t *testing.T, cluster *etcdserver.Cluster, prefix string, options ...grpc.DialOption) *clientv3.Client {
	t.Helper()
	admin := cluster.Client(t)
	for _, step := range []func() error{
		func() error { _, err := admin.UserAdd(t.Context(), "root", "secret"); return err },
		func() error { _, err := admin.RoleAdd(t.Context(), "root"); return err },
		func() error { _, err := admin.UserGrantRole(t.Context(), "root", "root"); return err },
		func() error { _, err := admin.UserAdd(t.Context(), "app", "secret"); return err },
		func() error { _, err := admin.RoleAdd(t.Context(), "app"); return err },
		func() error {
			_, err := admin.RoleGrantPermission(t.Context(), "app", prefix, clientv3.GetPrefixRangeEnd(prefix),
				clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func() error { _, err := admin.UserGrantRole(t.Context(), "app", "app"); return err },
		func() error { _, err := admin.AuthEnable(t.Context()); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return etcdserver.Dial(t, clientv3.Config{
		Endpoints: cluster.Endpoints(), Username: "app", Password: "secret", DialTimeout: 10 * time.Second,
		DialOptions: options,
	})
}

func TestFactATransactionNeedsRightsForAllBranches(t *testing.T) {
	t.Parallel()
	client := asUser(t, etcdserver.Start(t, 1), "/app/")
	allowed, forbidden := clientv3.OpPut("/app/a", ""), clientv3.OpGet("/elsewhere")
	if _, err := client.Txn(t.Context()).Then(allowed).Commit(); err != nil {
		t.Fatal(err)
	}
	_, err := client.Txn(t.Context()).Then(allowed).Else(forbidden).Commit()
	if !errors.Is(err, rpctypes.ErrPermissionDenied) {
		t.Errorf("with a forbidden key in the branch that is not taken: got the error %v", err)
	}
	_, err = client.Txn(t.Context()).Then(clientv3.OpPut("/app/b", ""), clientv3.OpPut("/elsewhere", "")).Commit()
	if !errors.Is(err, rpctypes.ErrPermissionDenied) {
		t.Errorf("with a forbidden key beside an allowed one: got the error %v", err)
	}
	if n := get(t, client, "/app/b").Count; n != 0 {
		t.Error("what was allowed was written all the same")
	}
}

// All that the driver does stays within its prefix, so that rights to it are enough.
func TestRightsToThePrefixAreEnough(t *testing.T) {
	t.Parallel()
	client := asUser(t, etcdserver.Start(t, 1), "/app/")
	d, err := etcddriver.New(client, &etcddriver.Options{Prefix: "/app"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	held, waiting := mutex("orders"), mutex("orders")
	if _, err := ses.Enter(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	p, err := ses.Enter(t.Context(), waiting)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Evict(t.Context(), held.Line, held.ID, driver.Eviction{Reason: "go"}); err != nil {
		t.Errorf("Evict: %v", err)
	}
	if marks, err := ses.Renew(t.Context()); err != nil || len(marks) != 1 {
		t.Errorf("Renew: got %d marks, error %v, want one", len(marks), err)
	}
	if places, err := ses.Present(t.Context()); err != nil || len(places) != 2 {
		t.Errorf("Present: got %d places, error %v, want 2", len(places), err)
	}
	if err := ses.Leave(t.Context(), held.Line, held.ID); err != nil {
		t.Errorf("Leave: %v", err)
	}
	if p, err = ses.Wait(t.Context(), p); err != nil || !p.Granted {
		t.Errorf("Wait: granted %v, error %v", p.Granted, err)
	}
	if err := ses.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}

	elsewhere, err := etcddriver.New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	if _, err := elsewhere.Open(t.Context(), driver.SessionOptions{TTL: time.Minute}); !errors.Is(err, driver.ErrDenied) {
		t.Errorf("Open under another prefix: got the error %v, want denied", err)
	}
	if _, err := elsewhere.Line(t.Context(), "orders"); !errors.Is(err, driver.ErrDenied) {
		t.Errorf("Line under another prefix: got the error %v, want denied", err)
	}
	for _, err := range elsewhere.Watch(t.Context(), driver.Query{Prefix: true}) {
		if !errors.Is(err, driver.ErrDenied) {
			t.Errorf("Watch under another prefix: got the error %v, want denied", err)
		}
	}
}
