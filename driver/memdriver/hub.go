package memdriver

import (
	"maps"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// hub tells watchers which names changed, in the order in which they came, so that
// a simulation runs the same way each time. It is guarded by the store's lock.
type hub struct{ watchers []*watcher }

// watcher gathers the names that changed since it last looked, so that one that is
// slow costs a set of names and never misses the last change.
type watcher struct {
	query driver.Query
	dirty map[string]struct{}
	wake  chan struct{} // holds one: somebody has work to do
}

func newWatcher(q driver.Query) *watcher {
	return &watcher{query: q, dirty: make(map[string]struct{}), wake: make(chan struct{}, 1)}
}

func (h *hub) add(w *watcher) { h.watchers = append(h.watchers, w) }

// remove forgets a watcher; it need not be there.
func (h *hub) remove(w *watcher) {
	if i := slices.Index(h.watchers, w); i >= 0 {
		h.watchers = slices.Delete(h.watchers, i, i+1)
	}
}

func (h *hub) touch(name string) {
	for _, w := range h.watchers {
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
