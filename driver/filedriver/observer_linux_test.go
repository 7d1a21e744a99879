package filedriver

import (
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// TestObserverIsGivenBack: the one instance of a driver goes with its last watch, as a
// user has few of them.
func TestObserverIsGivenBack(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	a := newWatcher(t, n.d, driver.Query{Prefix: true})
	b := newWatcher(t, n.d, driver.Query{Name: "orders"})
	a.next()
	b.next()
	a.stop()
	n.queue(mutexClaim("orders"))
	b.next() // the instance is still there
	b.stop()
	n.d.observer.mu.Lock()
	defer n.d.observer.mu.Unlock()
	if n.d.observer.file != nil {
		t.Error("no watch is left, and it still has an instance")
	}
}
