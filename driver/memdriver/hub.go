package memdriver

import (
	"maps"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// hub tells watchers which names changed. It is guarded by the store's lock.
type hub struct{ watchers map[*watcher]struct{} }

// watcher gathers the names that changed since it last looked, so that one that is
// slow costs a set of names and never misses the last change.
type watcher struct {
	query driver.Query
	dirty map[string]struct{}
	wake  chan struct{} // holds one: somebody has work to do
}

func newHub() hub { return hub{watchers: make(map[*watcher]struct{})} }

func newWatcher(q driver.Query) *watcher {
	return &watcher{query: q, dirty: make(map[string]struct{}), wake: make(chan struct{}, 1)}
}

func (h *hub) add(w *watcher)    { h.watchers[w] = struct{}{} }
func (h *hub) remove(w *watcher) { delete(h.watchers, w) }

func (h *hub) touch(name string) {
	for w := range h.watchers {
		if w.query.Matches(name) {
			w.dirty[name] = struct{}{}
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
	}
}

// take returns the names that changed, sorted, and starts anew: what it returns
// wakes nobody again.
func (w *watcher) take() []string {
	select {
	case <-w.wake:
	default:
	}
	names := slices.Sorted(maps.Keys(w.dirty))
	clear(w.dirty)
	return names
}
