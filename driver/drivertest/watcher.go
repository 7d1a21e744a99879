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

// watcher follows a watch in the background, and checks every snapshot.
type watcher struct {
	e      *env
	query  driver.Query
	cancel context.CancelCauseFunc
	// seen, when set before the start, is told every snapshot.
	seen func(driver.Snapshot)
	// ended is closed when the sequence has ended; err is set by then.
	ended chan struct{}
	err   error

	mu        sync.Mutex
	snapshots int
	lines     map[string]driver.Line
	// gone are the places that were there and are no more: none may come back.
	gone map[string]bool
	// news has a token whenever something was seen.
	news chan struct{}
}

func (e *env) watch(d driver.Driver, q driver.Query) *watcher {
	return e.watchSeeing(d, q, nil)
}

// watchSeeing follows a watch, and hands every snapshot to seen as well.
func (e *env) watchSeeing(d driver.Driver, q driver.Query, seen func(driver.Snapshot)) *watcher {
	ctx, cancel := context.WithCancelCause(e.Context())
	w := &watcher{
		e: e, query: q, cancel: cancel, seen: seen,
		ended: make(chan struct{}),
		lines: make(map[string]driver.Line),
		gone:  make(map[string]bool),
		news:  make(chan struct{}, 1),
	}
	// Ends with ctx, or with the driver; env.awaitCalls waits for it.
	e.calls.Go(func() {
		defer close(w.ended)
		defer cancel(nil)
		for snapshot, err := range d.Watch(ctx, q) {
			if w.err != nil {
				e.Errorf("watch: the sequence went on after its error %v", w.err)
				return
			}
			if err != nil {
				w.err = err
				continue
			}
			w.take(snapshot)
		}
	})
	return w
}

func (w *watcher) take(s driver.Snapshot) {
	w.check(s)
	if w.seen != nil {
		w.seen(s)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.snapshots == 0 && !s.Full {
		w.e.Errorf("watch: the first snapshot is not full")
	}
	w.snapshots++
	after := make(map[string]driver.Line)
	if !s.Full {
		maps.Copy(after, w.lines)
	}
	for _, l := range s.Lines {
		after[l.Name] = l
	}
	w.judge(after)
	w.lines = after
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// check looks at one snapshot by itself.
func (w *watcher) check(s driver.Snapshot) {
	if !slices.IsSortedFunc(s.Lines, func(a, b driver.Line) int { return strings.Compare(a.Name, b.Name) }) {
		w.e.Errorf("watch: the lines of a snapshot are not sorted by name")
	}
	for _, l := range s.Lines {
		if !w.query.Matches(l.Name) {
			w.e.Errorf("watch of %+v shows the line %q", w.query, l.Name)
		}
		w.e.sound(l)
	}
}

// judge compares two states: a watch never goes back in time, so no place that was
// gone comes back. Their IDs are never used twice.
func (w *watcher) judge(after map[string]driver.Line) {
	for _, l := range w.lines {
		for _, p := range l.Places {
			if after[l.Name].Find(p.ID) < 0 {
				w.gone[p.ID] = true
			}
		}
	}
	for _, l := range after {
		for _, p := range l.Places {
			if w.gone[p.ID] {
				w.e.Errorf("watch: the place %s in %q was gone, and is shown again", p.ID, l.Name)
			}
		}
	}
}

// until awaits a state in which the condition holds.
func (w *watcher) until(what string, holds func(lines map[string]driver.Line) bool) {
	w.e.Helper()
	w.untilWithin(patience, what, holds)
}

func (w *watcher) untilWithin(d time.Duration, what string, holds func(map[string]driver.Line) bool) {
	w.e.Helper()
	limit := time.NewTimer(d)
	defer limit.Stop()
	for {
		w.mu.Lock()
		ok := w.snapshots > 0 && holds(w.lines)
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-w.news:
		case <-w.ended:
			w.e.Fatalf("the watch of %+v ended (%v) before it showed: %s", w.query, w.err, what)
		case <-limit.C:
			w.e.Fatalf("the watch of %+v never showed: %s", w.query, what)
		}
	}
}

// shows awaits a line with exactly these places.
func (w *watcher) shows(line string, want ...driver.Place) {
	w.e.Helper()
	ids := idsOf(want)
	w.until("the places "+strings.Join(ids, " ")+" in "+line, func(lines map[string]driver.Line) bool {
		return slices.Equal(idsOf(lines[line].Places), ids)
	})
}

// await awaits the end of the sequence.
func (w *watcher) await() {
	w.e.Helper()
	w.e.awaits(w.ended, "the end of a watch")
}
