package zk_test

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// BenchmarkFree takes and gives back a lock that nobody else wants, on a server that writes
// to its disk, beside the Lock that comes with the client.
func BenchmarkFree(b *testing.B) {
	e := zkserver.Start(b, 1, zkserver.Config{Options: []string{"-Dzookeeper.forceSync=yes"}})
	b.Run("holdgate", func(b *testing.B) {
		_, c := process(b, e.Addresses(), zkdriver.Options{}, 15*time.Second)
		for b.Loop() {
			hold, err := c.Mutex("orders").Lock(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if err := hold.Release(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("go-zookeeper", func(b *testing.B) {
		l := zk.NewLock(client(b, e), "/peer/orders", world())
		for b.Loop() {
			if err := l.Lock(); err != nil {
				b.Fatal(err)
			}
			if err := l.Unlock(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
