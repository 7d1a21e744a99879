package zkdriver

import (
	"sync"

	"github.com/go-zookeeper/zk"
)

// watches are the watches of one connection. ZooKeeper's fire once, and the client keeps
// one for every call that sets it: so who watches what is watched already shares that.
//
// All is told in the order in which it happened, and before the answer to any request
// that shows it: a watch that has not fired says that nothing has changed, as of
// all that this connection was told.
type watches struct {
	mu   sync.Mutex
	byAt map[spot]*watch
}

// spot is what can be watched: the data of a node, or the names of those below it.
type spot struct {
	path     string
	children bool
}

// watch is one that fires once.
type watch struct {
	fired chan struct{} // closed when it does
	// Of the fields below the first may be read once it has fired, the rest is guarded
	// by the table's mutex.
	removed   bool // the node went away
	armed     bool // the server knows of it
	written   bool // and the node's data had been written since it was made
	users     int  // calls that are about to arm it
	followers map[*follower]string
}

func newWatches() *watches { return &watches{byAt: make(map[spot]*watch)} }

// join returns the watch of a spot, and whether it is armed. Who finds that it is not arms
// it, and says so, before it parts.
func (ws *watches) join(at spot) (w *watch, armed bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w = ws.byAt[at]
	if w == nil {
		w = &watch{fired: make(chan struct{}), followers: make(map[*follower]string)}
		ws.byAt[at] = w
	}
	w.users++
	return w, w.armed
}

// arm notes that the server knows of a watch, and how the node was then.
func (ws *watches) arm(w *watch, stat *zk.Stat) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w.armed, w.written = true, stat.Version > 0
}

func (ws *watches) part(at spot, w *watch) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w.users--; w.users == 0 && !w.armed && ws.byAt[at] == w {
		delete(ws.byAt, at)
	}
}

// tell is given what the client is told by the server, in order.
func (ws *watches) tell(e zk.Event) {
	switch e.Type {
	case zk.EventNodeDataChanged:
		ws.fire(spot{e.Path, false}, false)
	case zk.EventNodeChildrenChanged:
		ws.fire(spot{e.Path, true}, false)
	case zk.EventNodeDeleted:
		ws.fire(spot{e.Path, false}, true)
		ws.fire(spot{e.Path, true}, true)
	}
}

func (ws *watches) fire(at spot, removed bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.byAt[at]
	if w == nil {
		return
	}
	delete(ws.byAt, at)
	w.removed = removed
	close(w.fired)
	for f, name := range w.followers {
		f.changed(name)
	}
	w.followers = nil
}

// wasWritten reports whether a node had been written since it was made, when its watch was
// armed.
func (ws *watches) wasWritten(w *watch) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return w.written
}

// reset forgets all: the connection is another one. Who waits is told of that.
func (ws *watches) reset() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	clear(ws.byAt)
}

// follow has a follower told, by this name, when a watch fires, or at once when it has.
func (ws *watches) follow(w *watch, f *follower, name string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	switch {
	case f.gone:
	case w.hasFired():
		f.changed(name)
	default:
		w.followers[f] = name
	}
}

// unfollow forgets a follower, for good: an operation that its caller gave up may still
// run.
func (ws *watches) unfollow(f *follower) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	f.gone = true
	for _, w := range ws.byAt {
		delete(w.followers, f)
	}
}

// event is closed when the watch fires; for none it never is.
func (w *watch) event() <-chan struct{} {
	if w == nil {
		return nil
	}
	return w.fired
}

func (w *watch) hasFired() bool {
	select {
	case <-w.fired:
		return true
	default:
		return false
	}
}
