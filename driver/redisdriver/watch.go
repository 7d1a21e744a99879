package redisdriver

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Watch yields the lines that the query matches, and then those that changed. Each line
// has a channel that is told whenever it changes; what changed is then read.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return follow(ctx, d, q, source[driver.Snapshot]{
		channel: d.keys.line,
		all: func(ctx context.Context) (driver.Snapshot, error) {
			lines, err := d.list(ctx, q)
			return driver.Snapshot{Lines: lines, Full: true}, err
		},
		some: func(ctx context.Context, names []string) (driver.Snapshot, error) {
			lines, err := d.linesOf(ctx, names)
			return driver.Snapshot{Lines: lines}, err
		},
	})
}

// source is what is watched, shown as an S.
type source[S any] struct {
	channel func(name string) string
	all     func(context.Context) (S, error)
	some    func(ctx context.Context, names []string) (S, error)
}

// follow yields all, then what changed, and all again after changes may have been missed.
func follow[S any](ctx context.Context, d *Driver, q driver.Query, src source[S]) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		var none S
		err := q.Check()
		if err == nil {
			err = d.usable(ctx)
		}
		switch {
		case err != nil:
		case q.Once:
			var all S
			if all, err = src.all(ctx); err == nil {
				yield(all, nil)
				return
			}
		default:
			var left bool
			if left, err = followOn(ctx, d, q, src, yield); left {
				return
			}
		}
		yield(none, fmt.Errorf("watch %q: %w", q.Name, err))
	}
}

// followOn follows until the consumer leaves, or an error.
func followOn[S any](
	ctx context.Context, d *Driver, q driver.Query, src source[S], yield func(S, error) bool,
) (left bool, err error) {
	t := topic{name: src.channel(q.Name)}
	if q.Prefix {
		t = topic{name: literal(t.name) + "*", pattern: true}
	}
	w := newWatcher(d.keys)
	d.feed.join(t, w)
	defer d.feed.leave(t, w)
	defer d.sweeper.attend()()
	for {
		all, names, err := w.next(ctx, d)
		if err != nil {
			return false, err
		}
		var snapshot S
		if all {
			snapshot, err = src.all(ctx)
		} else {
			snapshot, err = src.some(ctx, names)
		}
		if err != nil {
			return false, err
		}
		if !yield(snapshot, nil) {
			return true, nil
		}
	}
}

// patience is how long a watch waits for its subscription before it says that it is blind.
const patience = 5 * time.Second

// watcher gathers what changed until its consumer comes for it.
type watcher struct {
	keys keys
	wake chan struct{} // has a token when there may be something to do

	mu    sync.Mutex
	all   bool
	blind bool
	names map[string]struct{}
}

func newWatcher(k keys) *watcher {
	return &watcher{keys: k, wake: make(chan struct{}, 1), blind: true, names: make(map[string]struct{})}
}

func (w *watcher) subscribed() { w.note(func() { w.all, w.blind = true, false }) }
func (w *watcher) cut()        { w.note(func() { w.blind = true }) }

func (w *watcher) told(channel, _ string) {
	w.note(func() { w.names[w.keys.named(channel)] = struct{}{} })
}

func (w *watcher) note(change func()) {
	w.mu.Lock()
	change()
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// next waits for something to read: everything, or some names, sorted. While it is blind
// it waits for a limited time only.
func (w *watcher) next(ctx context.Context, d *Driver) (all bool, names []string, err error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		all, blind, names := w.take()
		if all || len(names) > 0 {
			return all, names, nil
		}
		expired := limit.C
		if !blind {
			expired = nil
		}
		select {
		case <-w.wake:
		case <-expired:
			return false, nil, fmt.Errorf("%w: no subscription for %v", driver.ErrUnavailable, patience)
		case <-ctx.Done():
			return false, nil, context.Cause(ctx)
		case <-d.ctx.Done():
			return false, nil, driver.ErrClosed
		}
		if !blind {
			limit.Reset(patience)
		}
	}
}

func (w *watcher) take() (all, blind bool, names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all, names = w.all, slices.Sorted(maps.Keys(w.names))
	w.all = false
	clear(w.names)
	return all, w.blind, names
}
