package drivertest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// kvWatcher follows a watch of a map in the background, and checks every snapshot.
type kvWatcher struct {
	e      *env
	query  driver.Query
	cancel context.CancelCauseFunc
	// ended is closed when the sequence has ended; err is set by then.
	ended chan struct{}
	err   error

	mu        sync.Mutex
	snapshots int
	entries   map[string]driver.Entry
	// newest is the highest version seen of each key: a watch never goes back.
	newest map[string]uint64
	news   chan struct{}
}

func (e *env) watchKV(m driver.KV, q driver.Query) *kvWatcher {
	ctx, cancel := context.WithCancelCause(e.Context())
	w := &kvWatcher{
		e: e, query: q, cancel: cancel,
		ended:   make(chan struct{}),
		entries: make(map[string]driver.Entry),
		newest:  make(map[string]uint64),
		news:    make(chan struct{}, 1),
	}
	// Ends with ctx, or with the driver; env.awaitCalls waits for it.
	e.calls.Go(func() {
		defer close(w.ended)
		defer cancel(nil)
		for snapshot, err := range m.WatchKV(ctx, q) {
			if err != nil {
				w.err = err
				continue
			}
			w.take(snapshot)
		}
	})
	return w
}

func (w *kvWatcher) take(s driver.KVSnapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.snapshots == 0 && !s.Full {
		w.e.Errorf("watch of keys: the first snapshot is not full")
	}
	if !slices.IsSortedFunc(s.Entries, func(a, b driver.Entry) int { return strings.Compare(a.Key, b.Key) }) {
		w.e.Errorf("watch of keys: the entries of a snapshot are not sorted")
	}
	w.snapshots++
	if s.Full {
		w.entries = make(map[string]driver.Entry)
	}
	for _, entry := range s.Entries {
		if !w.query.Matches(entry.Key) {
			w.e.Errorf("watch of keys %+v shows %q", w.query, entry.Key)
		}
		if entry.Version < w.newest[entry.Key] {
			w.e.Errorf("watch of keys: %q went back from version %d to %d", entry.Key, w.newest[entry.Key], entry.Version)
		}
		w.newest[entry.Key] = entry.Version
		w.entries[entry.Key] = entry
	}
	maps.DeleteFunc(w.entries, func(key string, _ driver.Entry) bool { return slices.Contains(s.Deleted, key) })
	select {
	case w.news <- struct{}{}:
	default:
	}
}

func (w *kvWatcher) until(d time.Duration, what string, holds func(map[string]driver.Entry) bool) {
	w.e.Helper()
	limit := time.NewTimer(d)
	defer limit.Stop()
	for {
		w.mu.Lock()
		ok := w.snapshots > 0 && holds(w.entries)
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-w.news:
		case <-w.ended:
			w.e.Fatalf("the watch of keys %+v ended (%v) before it showed: %s", w.query, w.err, what)
		case <-limit.C:
			w.e.Fatalf("the watch of keys %+v never showed: %s", w.query, what)
		}
	}
}

// holds awaits an entry.
func (w *kvWatcher) holds(want driver.Entry) {
	w.e.Helper()
	w.until(patience, "the latest of "+want.Key, func(entries map[string]driver.Entry) bool {
		got, ok := entries[want.Key]
		return ok && got.Version == want.Version && string(got.Value) == string(want.Value)
	})
}

// lacks awaits that a key is gone.
func (w *kvWatcher) lacks(key string) {
	w.e.Helper()
	w.lacksWithin(patience, key)
}

func (w *kvWatcher) lacksWithin(d time.Duration, key string) {
	w.e.Helper()
	w.until(d, key+" gone", func(entries map[string]driver.Entry) bool {
		_, ok := entries[key]
		return !ok
	})
}
