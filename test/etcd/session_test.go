package etcd_test

import (
	"crypto/rand"
	"encoding/hex"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

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
