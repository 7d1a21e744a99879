package etcd_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// A watch that catches up gets many changes in one message, which is larger than gRPC takes
// by default. Here the default is small instead.
func TestAWatchTakesMessagesOfAnySize(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	small := grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64 << 10))
	d, err := etcddriver.New(cluster.Client(t, small), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	large := bytes.Repeat([]byte("x"), driver.MaxValue)
	first := true
	for s, err := range d.WatchKV(t.Context(), driver.Query{Name: "settings"}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case first:
			first = false
			if _, err := d.Put(t.Context(), driver.Put{Key: "settings", Value: large}); err != nil {
				t.Fatal(err)
			}
			continue
		case len(s.Entries) != 1 || !bytes.Equal(s.Entries[0].Value, large):
			t.Errorf("got %d entries, want the large one", len(s.Entries))
		}
		return
	}
}

// A try that is refused as it stands takes no key for itself: the next place of the
// session gets the first one.
func TestARefusedTryAllKeepsNoKey(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	d := newDriver(t, cluster, nil)
	ses := openSession(t, d, time.Minute)
	all, ok := ses.(driver.AllTrier)
	if !ok {
		t.Fatal("the session has no TryAll")
	}
	for range 3 {
		if _, err := all.TryAll(t.Context(), []driver.Claim{mutex("orders"), mutex("orders")}); !errors.Is(err, driver.ErrInvalid) {
			t.Fatalf("two claims for one line: got the error %v, want invalid", err)
		}
	}
	enter(t, ses, mutex("orders"))
	keys := get(t, cluster.Client(t), "/holdgate/orders/", clientv3.WithPrefix()).Kvs
	if want := "/holdgate/orders/" + ses.ID(); len(keys) != 1 || string(keys[0].Key) != want {
		t.Errorf("the place stands at %s, want %s", keys[0].Key, want)
	}
}
