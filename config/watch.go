package config

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/internal/backoff"
)

// Snapshot is all entries under a prefix at one moment.
type Snapshot struct {
	// Entries are sorted by key. They are the receiver's own; the values are shared, and are
	// not to be changed.
	Entries []Entry
	// Stale says that the store cannot be reached at the moment: the entries are as they
	// were seen last.
	Stale bool
}

// Watch yields all entries whose key begins with prefix, whole, and again whenever one of them
// changed. Changes may be merged, and the last one is never withheld; no older value of a
// key follows a newer one. Through an outage it goes on by itself: it yields the last snapshot
// once more, as stale, and a fresh one afterwards; it never yields an empty one because the
// store is away. It ends with an error, that of ctx or one that trying again does not help
// against.
func (c *Config) Watch(ctx context.Context, prefix string) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Snapshot{}, fail("watch", prefix, err))
			return
		}
		w := watching{yield: yield}
		if err := c.follow(ctx, driver.Query{Name: keyPrefix + prefix, Prefix: true}, w.take, w.away); err != nil {
			yield(Snapshot{}, fail("watch", prefix, err))
		}
	}
}

// follow tells every snapshot of a query, and when the store is away, until told stops it by
// reporting false: then it returns nil.
func (c *Config) follow(ctx context.Context, q driver.Query, told func(driver.KVSnapshot) bool, away func(error) bool) error {
	for failures := 1; ; failures++ {
		broke := error(driver.ErrUnavailable)
		for s, err := range c.kv.WatchKV(ctx, q) {
			if err != nil {
				broke = err
				break
			}
			failures = 1
			if !told(s) {
				return nil
			}
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(broke, ErrUnavailable) && !errors.Is(broke, ErrUnknownOutcome):
			return broke
		case !away(broke):
			return nil
		}
		if cause := backoff.Pause(ctx, failures, lastPause); cause != nil {
			return cause
		}
	}
}

// watching puts what a watch tells together.
type watching struct {
	yield   func(Snapshot, error) bool
	entries map[string]Entry
	known   bool // what there is
	stale   bool
}

func (w *watching) take(s driver.KVSnapshot) bool {
	if s.Full {
		w.entries = make(map[string]Entry, len(s.Entries))
		w.known = true
	}
	for _, e := range entriesOf(s.Entries) {
		w.entries[e.Key] = e
	}
	for _, key := range s.Deleted {
		delete(w.entries, entryOf(driver.Entry{Key: key}).Key)
	}
	w.stale = false
	return w.yield(w.snapshot(), nil)
}

func (w *watching) away(error) bool {
	if !w.known || w.stale {
		return true
	}
	w.stale = true
	return w.yield(w.snapshot(), nil)
}

func (w *watching) snapshot() Snapshot {
	entries := slices.SortedFunc(maps.Values(w.entries), func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return Snapshot{Entries: entries, Stale: w.stale}
}
