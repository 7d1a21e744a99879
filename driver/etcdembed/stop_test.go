package etcdembed_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A watch never ends by itself. etcd's own Close waits 7 s for it.
func TestAWatchDoesNotHoldUpClose(t *testing.T) {
	t.Parallel()
	s := start(t, alone(t))
	c := client(t, s)
	w := c.Watch(clientv3.WithRequireLeader(bounded(t)), "a", clientv3.WithCreatedNotify())
	if r := <-w; !r.Created {
		t.Fatalf("watching: got %+v, want it created", r)
	}
	begun := time.Now()
	stop(t, s)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("Close took %v with a watch open, want less than etcd's 7s", took)
	}
}

// Not parallel: it counts what runs in this process.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	s := start(t, alone(t))
	c, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	put(t, c, "a")
	c.Close()
	stop(t, s)
	left := func() error {
		if n := runtime.NumGoroutine(); n > before {
			return fmt.Errorf("%d goroutines, %d before the start", n, before)
		}
		return nil
	}
	if err := eventually(t, left); err != nil { // connections end a moment after they were closed
		t.Error(err)
	}
}
