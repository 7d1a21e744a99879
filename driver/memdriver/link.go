package memdriver

import (
	"sync"
	"sync/atomic"
)

// Link is the state of the connection between a handle and the store.
type Link int32

// The states of a link.
const (
	// LinkUp: requests and answers pass.
	LinkUp Link = iota
	// LinkHangs: nothing passes, and nobody is told, as when packets are dropped. Calls
	// wait until their context ends or the link is up again; then what waited goes on.
	LinkHangs
	// LinkRefuses: calls fail at once, as when connections are refused. Those under
	// way lose their answer, and watches and waits end.
	LinkRefuses

	linkClosed Link = -1 // the handle was closed, for good
)

// link holds the state, and tells of its changes.
type link struct {
	state atomic.Int32

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
}

func (l *link) set(to Link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.load() == linkClosed {
		return
	}
	l.state.Store(int32(to))
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *link) load() Link { return Link(l.state.Load()) }

// watch returns the state and a channel that is closed when it is another.
func (l *link) watch() (Link, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.load(), l.changed
}
