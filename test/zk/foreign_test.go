package zk_test

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// The Lock of go-zookeeper and ours exclude each other, whoever comes first.
func TestLockOfTheClient(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	_, c := process(t, e.Addresses(), zkdriver.Options{Prefix: "/locks"}, 15*time.Second)
	peer := client(t, e)
	var (
		holders atomic.Int32
		counter int // spoilt by two holders, which the race detector sees too
		workers sync.WaitGroup
	)
	hold := func() {
		if n := holders.Add(1); n != 1 {
			t.Errorf("%d hold at once", n)
		}
		counter++
		holders.Add(-1)
	}
	const rounds = 100
	workers.Go(func() {
		for range rounds {
			h, err := c.Mutex("orders").Lock(bounded(t))
			if err != nil {
				t.Error(err)
				return
			}
			hold()
			if err := h.Release(bounded(t)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	workers.Go(func() {
		for range rounds {
			l := zk.NewLock(peer, "/locks/orders", world())
			if err := l.Lock(); err != nil {
				t.Error(err)
				return
			}
			hold()
			if err := l.Unlock(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	workers.Wait()
	if counter != 2*rounds {
		t.Errorf("counted %d turns, want %d", counter, 2*rounds)
	}
}

// A server that takes connections and never says a word must not keep a session from the
// next one. The client by itself would wait for 6.7 times the time to live.
func TestServerThatNeverGreets(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	const ttl = 15 * time.Second
	for range 4 { // each begins with a random one
		_, c := process(t, append(e.Addresses(), silent.Addr().String()), zkdriver.Options{}, ttl)
		began := time.Now()
		h, err := c.Mutex("orders").Lock(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > ttl {
			t.Errorf("beside a server that never greets, a lock took %v", took)
		}
		if err := h.Release(bounded(t)); err != nil {
			t.Error(err)
		}
	}
}
