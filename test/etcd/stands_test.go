package etcd_test

import (
	"context"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// worker is a process with a lock, on a cluster.
func worker(t *testing.T, cluster *etcdserver.Cluster) (*etcddriver.Driver, *holdgate.Client) {
	t.Helper()
	d := newDriver(t, cluster, nil)
	client, err := holdgate.New(d, &holdgate.Options{TTL: 5 * time.Second, Handoff: holdgate.Handoff{Strict: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(context.WithoutCancel(t.Context())) })
	return d, client
}

// A holder is paused after it took its condition; its lock is removed and goes to another,
// and then comes back to the same process, and stands at the same key. Only the transactions
// of who holds at that moment are carried out.
func TestATransactionOfAHolderThatLostItsPlaceDoesNothing(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	db := cluster.Client(t)
	write := func(stands clientv3.Cmp, text string) bool {
		t.Helper()
		answer, err := db.Txn(t.Context()).If(stands).Then(clientv3.OpPut("order/42", text)).Commit()
		if err != nil {
			t.Fatal(err)
		}
		return answer.Succeeded
	}
	lock := func(d *etcddriver.Driver, c *holdgate.Client) (*holdgate.Hold, clientv3.Cmp) {
		t.Helper()
		hold, err := c.Mutex("orders/42").Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stands, err := d.Stands(t.Context(), hold.Name(), hold.PlaceID())
		if err != nil {
			t.Fatal(err)
		}
		return hold, stands
	}

	d1, one := worker(t, cluster)
	d2, two := worker(t, cluster)
	old, oldStands := lock(d1, one)
	for range 2 {
		if !write(oldStands, "old") {
			t.Fatal("the holder's own transaction was not carried out")
		}
	}
	// An operator removes the place: the holder does not know yet.
	if err := two.Evict(t.Context(), old.Name(), old.PlaceID(), holdgate.Eviction{Force: true}); err != nil {
		t.Fatal(err)
	}
	if write(oldStands, "too late") {
		t.Error("a transaction was carried out after its place was removed, with nobody there yet")
	}
	next, nextStands := lock(d2, two)
	if !write(nextStands, "next") {
		t.Error("the next holder's transaction was not carried out")
	}
	if write(oldStands, "too late") {
		t.Error("the old holder's transaction was carried out while another holds")
	}
	if err := next.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = old.Release(t.Context()) // it is lost
	again, againStands := lock(d1, one)
	if write(oldStands, "too late") || write(nextStands, "too late") {
		t.Error("a condition of an earlier place holds for a later one")
	}
	if !write(againStands, "again") {
		t.Error("the transaction of who holds now was not carried out")
	}
	if err := again.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if write(againStands, "too late") {
		t.Error("a transaction was carried out after the release")
	}
	if kvs := get(t, db, "order/42").Kvs; len(kvs) != 1 || string(kvs[0].Value) != "again" {
		t.Errorf("the key has %v", kvs)
	}
}

func TestStandsRefusesWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	d := newDriver(t, cluster, nil)
	ses := openSession(t, d, time.Minute)
	first := enter(t, ses, mutex("orders"))
	second := enter(t, ses, mutex("orders"))
	if _, err := d.Stands(t.Context(), "orders", first.ID); err != nil {
		t.Errorf("the holder: %v", err)
	}
	if _, err := d.Stands(t.Context(), "orders", second.ID); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("a waiter: got the error %v, want it refused", err)
	}
	leave(t, ses, first)
	if _, err := d.Stands(t.Context(), "orders", first.ID); !errors.Is(err, driver.ErrGone) {
		t.Errorf("a place that is gone: got the error %v", err)
	}
	if _, err := d.Stands(t.Context(), "", first.ID); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("a bad name: got the error %v", err)
	}
}
