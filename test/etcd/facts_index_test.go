package etcd_test

import (
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// The reason why a place's key is its session's, and used again: what was deleted stays
// in etcd's index until a compaction, and each look at the range passes by it.
func TestFactDeletedKeysSlowARangeUntilCompaction(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	const cycles = 40_000
	var revision int64
	churn := func(line string, key func(int) string) {
		for batch := range cycles / 100 {
			var puts []clientv3.Op
			for i := range 100 {
				puts = append(puts, clientv3.OpPut(line+key(batch*100+i), ""))
			}
			commit(t, client, puts, nil)
			revision = commit(t, client, []clientv3.Op{clientv3.OpDelete(line, clientv3.WithPrefix())}, nil).Header.Revision
		}
	}
	churn("/new/", func(i int) string { return fmt.Sprint(i) })
	churn("/same/", func(i int) string { return fmt.Sprint(i % 100) })
	fresh, same := lookTime(t, client, "/new/"), lookTime(t, client, "/same/")
	if _, err := client.Compact(t.Context(), revision, clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	compacted := lookTime(t, client, "/new/")
	t.Logf("a look at an empty range after %d keys: %v, after 100 that were used again: %v, after a compaction: %v",
		cycles, fresh, same, compacted)
	if fresh < 2*same || fresh < 2*compacted {
		t.Error("deleted keys cost nothing: the driver could name places by their IDs")
	}
}

// lookTime is how long a read of an empty range takes at best.
func lookTime(t *testing.T, client *clientv3.Client, prefix string) time.Duration {
	t.Helper()
	best := time.Hour
	for range 50 {
		began := time.Now()
		if n := get(t, client, prefix, clientv3.WithPrefix()).Count; n != 0 {
			t.Fatalf("%d keys are left under %s", n, prefix)
		}
		best = min(best, time.Since(began))
	}
	return best
}
