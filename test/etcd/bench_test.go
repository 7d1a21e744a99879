package etcd_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// BenchmarkFree measures a free lock and unlock: the driver's Enter and Leave, two bare
// transactions, and Go's concurrency.Mutex, in turn on one server, so that what
// disturbs one disturbs all. It reports medians, and the driver's speed as a share of
// the others'.
func BenchmarkFree(b *testing.B) {
	cluster := etcdserver.Start(b, 1)
	client := cluster.Client(b)
	ses := openSession(b, newDriver(b, cluster, nil), 60*time.Second)
	peer, err := concurrency.NewSession(client)
	if err != nil {
		b.Fatal(err)
	}
	defer peer.Close()
	lease, err := client.Grant(b.Context(), 60)
	if err != nil {
		b.Fatal(err)
	}
	contenders := map[string]func(context.Context) error{
		"driver":      func(ctx context.Context) error { return enterAndLeave(ctx, ses) },
		"raw":         func(ctx context.Context) error { return twoTxns(ctx, client, lease.ID) },
		"concurrency": func(ctx context.Context) error { return peerLock(ctx, peer) },
	}
	took := make(map[string][]time.Duration)
	for b.Loop() {
		for name, cycle := range contenders {
			began := time.Now()
			if err := cycle(b.Context()); err != nil {
				b.Fatalf("%s: %v", name, err)
			}
			took[name] = append(took[name], time.Since(began))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2]) / 1e3
	}
	for name := range contenders {
		b.ReportMetric(median(name), name+"-us")
	}
	b.ReportMetric(median("raw")/median("driver"), "of-raw")
	b.ReportMetric(median("concurrency")/median("driver"), "of-concurrency")
}

func newDriver(tb testing.TB, cluster *etcdserver.Cluster, o *etcddriver.Options) *etcddriver.Driver {
	tb.Helper()
	d, err := etcddriver.New(cluster.Client(tb), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d
}

func openSession(tb testing.TB, d driver.Driver, ttl time.Duration) driver.Session {
	tb.Helper()
	ses, err := d.Open(tb.Context(), driver.SessionOptions{TTL: ttl, Owner: "test"})
	if err != nil {
		tb.Fatal(err)
	}
	return ses
}

func mutex(line string) driver.Claim {
	var id [16]byte
	_, _ = rand.Read(id[:])
	return driver.Claim{Line: line, ID: hex.EncodeToString(id[:]), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

func enterAndLeave(ctx context.Context, ses driver.Session) error {
	c := mutex("bench")
	if _, err := ses.Enter(ctx, c); err != nil {
		return err
	}
	return ses.Leave(ctx, c.Line, c.ID)
}

// twoTxns are the least that a lock and an unlock can be.
func twoTxns(ctx context.Context, client *clientv3.Client, lease clientv3.LeaseID) error {
	c := mutex("raw")
	key := "/raw/" + c.ID
	_, err := client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, "", clientv3.WithLease(lease)), clientv3.OpGet("/raw/", clientv3.WithPrefix())).
		Commit()
	if err != nil {
		return err
	}
	_, err = client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(key), "!=", 0)).
		Then(clientv3.OpDelete(key)).
		Commit()
	return err
}

func peerLock(ctx context.Context, ses *concurrency.Session) error {
	m := concurrency.NewMutex(ses, "/peer/bench")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	return m.Unlock(ctx)
}
