package memdriver

import (
	"context"
	"iter"

	"github.com/holdgate/holdgate/driver"
)

// Watch yields the lines that the query matches, and then those that changed.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	w := watch[driver.Snapshot]{
		d: d, query: q, open: OpWatch, push: OpPush, hub: &d.store.state.lineWatches,
		full: func(st *state) driver.Snapshot {
			return driver.Snapshot{Lines: st.matching(q), Full: true}
		},
		changed: func(st *state, names []string) driver.Snapshot {
			snap := driver.Snapshot{Lines: make([]driver.Line, len(names))}
			for i, name := range names {
				snap.Lines[i] = st.whole(name)
			}
			return snap
		},
	}
	return w.run(ctx)
}

// WatchKV yields the entries that the query matches, and then those that changed.
func (d *Driver) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	w := watch[driver.KVSnapshot]{
		d: d, query: q, open: OpWatchKV, push: OpPushKV, hub: &d.store.state.entryWatches,
		full:    func(st *state) driver.KVSnapshot { return st.allEntries(q) },
		changed: (*state).changedEntries,
	}
	return w.run(ctx)
}

// watch is a stream of snapshots of type S.
type watch[S any] struct {
	d          *Driver
	query      driver.Query
	open, push Op
	hub        *hub
	full       func(*state) S
	changed    func(*state, []string) S
}

func (w watch[S]) run(ctx context.Context) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		var none S
		if err := w.query.Check(); err != nil {
			yield(none, err)
			return
		}
		from := newWatcher(w.query)
		defer w.stop(from)
		snap, err := w.first(ctx, from)
		for yield(snap, err) && err == nil && !w.query.Once {
			snap, err = w.next(ctx, from)
		}
	}
}

// first registers the watcher and takes the first snapshot in one step, so that no
// change falls between them.
func (w watch[S]) first(ctx context.Context, from *watcher) (S, error) {
	c := Call{Op: w.open, Line: w.query.Name}
	return call(ctx, w.d, c, func(st *state) (S, error) {
		w.hub.add(from)
		return w.full(st), nil
	})
}

// next waits for a change, and for whatever holds up its delivery. What changes
// meanwhile comes with it.
func (w watch[S]) next(ctx context.Context, from *watcher) (S, error) {
	err := w.await(ctx, from)
	w.d.standStill()
	if err != nil {
		var none S
		return none, err
	}
	defer w.d.store.end()
	return w.changed(w.d.store.begin(), from.take()), nil
}

func (w watch[S]) await(ctx context.Context, from *watcher) error {
	if err := w.d.listen(ctx, w.push, from.wake); err != nil {
		return err
	}
	c := Call{Op: w.push, Line: w.query.Name}
	f := w.d.inject(c)
	if f.Err != nil {
		return f.Err
	}
	return w.d.receive(ctx, c, Fault{AnswerDelay: f.AnswerDelay})
}

// stop runs however the watch ended, also when it never began.
func (w watch[S]) stop(from *watcher) {
	w.d.store.begin()
	w.hub.remove(from)
	w.d.store.end()
}
