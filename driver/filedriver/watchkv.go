package filedriver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// WatchKV yields the entries that the query matches, and then those that changed.
func (d *Driver) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	return func(yield func(driver.KVSnapshot, error) bool) {
		if err := q.Check(); err != nil {
			yield(driver.KVSnapshot{}, err)
			return
		}
		w := &keyWatch{d: d, q: q, news: newNews("")}
		defer d.observer.forget(w.news)
		snap, err := w.call(ctx, w.first)
		for yield(snap, err) && err == nil && !q.Once {
			snap, err = w.call(ctx, w.next)
		}
	}
}

// keyWatch is one sequence of snapshots. It compares versions: of a change it is told no more
// than that there was one.
type keyWatch struct {
	d       *Driver
	q       driver.Query
	news    *news
	at      inode             // the directory that is watched
	deaf    bool              // nobody tells of its changes
	told    map[string]uint64 // versions, by key
	expires time.Time         // when the first of them does, zero if none
}

func (w *keyWatch) call(ctx context.Context, step func(*call) (driver.KVSnapshot, error)) (driver.KVSnapshot, error) {
	k, err := w.d.calls.begin(ctx)
	if err != nil {
		return driver.KVSnapshot{}, err
	}
	defer k.done()
	snap, err := step(k)
	return snap, translate(err)
}

// first reads everything. What changes meanwhile is told: the directory is observed before
// it is read.
func (w *keyWatch) first(*call) (driver.KVSnapshot, error) {
	if !w.q.Once {
		if err := w.d.root.makeKeysDir(); err != nil {
			return driver.KVSnapshot{}, err
		}
		var err error
		if w.at, err = identify(w.d.root.keysDir()); err != nil {
			return driver.KVSnapshot{}, err
		}
		w.deaf = !w.d.observer.observe(w.d.root.keysDir(), w.news)
	}
	entries, err := w.read()
	if err != nil {
		return driver.KVSnapshot{}, err
	}
	w.told = versionsOf(entries)
	return driver.KVSnapshot{Full: true, Entries: entries}, nil
}

// next waits until there is something that was not told.
func (w *keyWatch) next(k *call) (driver.KVSnapshot, error) {
	for {
		if err := w.await(k); err != nil {
			return driver.KVSnapshot{}, err
		}
		w.news.take()
		entries, err := w.read()
		if err != nil {
			return driver.KVSnapshot{}, err
		}
		snap := w.changes(entries)
		w.told = versionsOf(entries)
		if len(snap.Entries)+len(snap.Deleted) > 0 {
			return snap, nil
		}
	}
}

// changes are what is not as it was told last.
func (w *keyWatch) changes(entries []driver.Entry) driver.KVSnapshot {
	var snap driver.KVSnapshot
	there := versionsOf(entries)
	for _, e := range entries {
		if w.told[e.Key] != e.Version {
			snap.Entries = append(snap.Entries, e)
		}
	}
	for key := range w.told {
		if there[key] == 0 {
			snap.Deleted = append(snap.Deleted, key)
		}
	}
	slices.Sort(snap.Deleted)
	return snap
}

func versionsOf(entries []driver.Entry) map[string]uint64 {
	versions := make(map[string]uint64, len(entries))
	for _, e := range entries {
		versions[e.Key] = e.Version
	}
	return versions
}

// await returns when there may be news: it is told of a change, or a key has expired. Where
// nobody tells of changes, it looks every now and then.
func (w *keyWatch) await(k *call) error {
	pause := lastGlance
	if w.deaf {
		pause = doubt
	}
	if !w.expires.IsZero() {
		pause = min(pause, max(time.Until(w.expires), 0))
	}
	glance := time.NewTimer(pause)
	defer glance.Stop()
	select {
	case <-k.Done():
		return cancelled(k)
	case <-w.news.wake:
	case <-glance.C:
	}
	found, err := identify(w.d.root.keysDir())
	if err == nil && found != w.at {
		err = fmt.Errorf("%w: %s was replaced by another directory", driver.ErrUnavailable, w.d.root.keysDir())
	}
	return err
}

// read returns all entries that the query matches, sorted by key.
func (w *keyWatch) read() ([]driver.Entry, error) {
	w.expires = time.Time{}
	files, err := w.files()
	if err != nil {
		return nil, err
	}
	entries := make([]driver.Entry, 0, len(files))
	for _, file := range files {
		r, err := readKey(filepath.Join(w.d.root.keysDir(), file))
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && w.q.Prefix:
			continue // it has just gone; or is not ours, and no reason not to tell of the others
		case err != nil:
			return nil, err
		case !r.stands() || !w.q.Matches(r.Key):
			continue
		}
		entries = append(entries, r.Entry)
		if !r.expires.IsZero() && (w.expires.IsZero() || r.expires.Before(w.expires)) {
			w.expires = r.expires
		}
	}
	slices.SortFunc(entries, func(a, b driver.Entry) int { return cmp.Compare(a.Key, b.Key) })
	return entries, nil
}

// files returns the names of the files in which what the query asks for may lie.
func (w *keyWatch) files() ([]string, error) {
	if !w.q.Prefix {
		file, _ := escape(w.q.Name)
		return []string{file}, nil
	}
	all, err := w.d.root.names(w.d.root.keysDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return slices.DeleteFunc(all, func(file string) bool {
		if isHashed(file) {
			return false // its name lies in it
		}
		name, ok := unescape(file)
		return !ok || !w.q.Matches(name)
	}), err
}
