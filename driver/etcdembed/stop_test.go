package etcdembed_test

import (
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
