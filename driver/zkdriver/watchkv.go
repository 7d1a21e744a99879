package zkdriver

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// WatchKV yields the entries that the query matches, and then those that changed.
func (d *Driver) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	return func(yield func(driver.KVSnapshot, error) bool) {
		if err := d.watchKV(ctx, q, yield); err != nil {
			yield(driver.KVSnapshot{}, fmt.Errorf("watch keys %q: %w", q.Name, err))
		}
	}
}

func (d *Driver) watchKV(ctx context.Context, q driver.Query, yield func(driver.KVSnapshot, error) bool) error {
	if err := q.Check(); err != nil {
		return err
	}
	w, err := run(ctx, &d.reader, false, func(ctx context.Context) (*entryWatch, error) { return d.watchEntries(ctx, q) })
	if err != nil {
		return err
	}
	defer w.end()
	for first := true; ; first = false {
		s, err := run(ctx, &d.reader, false, func(context.Context) (driver.KVSnapshot, error) { return w.changes() })
		if err != nil {
			return err
		}
		s.Full = first
		if (first || len(s.Entries)+len(s.Deleted) > 0) && !yield(s, nil) || q.Once {
			return nil
		}
		if err := w.awaitChange(ctx); err != nil {
			return err
		}
	}
}

// entryWatch follows the entries of a query.
type entryWatch struct {
	subscription
	q     driver.Query
	shown map[string]uint64 // versions
	// next is how long it takes until the first of them is over, 0 for never.
	next time.Duration
}

func (d *Driver) watchEntries(ctx context.Context, q driver.Query) (*entryWatch, error) {
	s, err := d.subscribe(ctx)
	if err != nil {
		return nil, err
	}
	return &entryWatch{subscription: s, q: q, shown: make(map[string]uint64)}, nil
}

// awaitChange waits for a write, or until an entry is over, which somebody has to look at.
func (w *entryWatch) awaitChange(ctx context.Context) error {
	if w.next > 0 {
		over := time.AfterFunc(w.next, func() { w.changed(everything) })
		defer over.Stop()
	}
	_, err := w.await(ctx)
	return err
}

// changes reads all entries of the query, and returns what is not as it was shown.
func (w *entryWatch) changes() (driver.KVSnapshot, error) {
	keys, err := w.keys()
	if err != nil {
		return driver.KVSnapshot{}, err
	}
	var s driver.KVSnapshot
	now := make(map[string]uint64, len(keys))
	w.next = 0
	for _, key := range keys {
		e, err := w.c.entry(key)
		switch {
		case oneOf(err, driver.ErrGone):
			continue
		case err != nil:
			return driver.KVSnapshot{}, err
		}
		now[key] = e.Version
		if e.Version != w.shown[key] {
			s.Entries = append(s.Entries, e.Entry)
		}
		if e.left > 0 && (w.next == 0 || e.left < w.next) {
			w.next = e.left
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.shown)) {
		if _, ok := now[key]; !ok {
			s.Deleted = append(s.Deleted, key)
		}
	}
	w.shown = now
	return s, nil
}

// keys are those that match, sorted. Any write after this is told.
func (w *entryWatch) keys() ([]string, error) {
	all := w.c.d.layout.entries()
	if !w.q.Once {
		at, err := w.c.watchNode(all)
		if oneOf(err, zk.ErrNoNode) {
			if err := w.c.makePath(all); err != nil {
				return nil, err
			}
			at, err = w.c.watchNode(all)
		}
		if err != nil {
			return nil, err
		}
		w.c.watches.follow(at, w.follower, everything)
	}
	nodes, _, err := w.c.zk.Children(all)
	if err != nil && !oneOf(err, zk.ErrNoNode) {
		return nil, read(err)
	}
	var keys []string
	for _, node := range nodes {
		if key, err := unescape(node); err == nil && w.q.Matches(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
