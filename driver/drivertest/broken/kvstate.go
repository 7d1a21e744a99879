package broken

import (
	"context"
	"iter"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// restartVersions counts the versions of a key from its last delete.
func restartVersions(do *overrides) {
	var (
		mu   sync.Mutex
		base = make(map[string]uint64)
	)
	shown := func(entry driver.Entry, err error) (driver.Entry, error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			entry.Version -= base[entry.Key]
		}
		return entry, err
	}
	do.get = func(ctx context.Context, kv driver.KV, key string) (driver.Entry, error) {
		return shown(kv.Get(ctx, key))
	}
	do.put = func(ctx context.Context, kv driver.KV, p driver.Put) (driver.Entry, error) {
		return shown(kv.Put(ctx, p))
	}
	do.remove = func(ctx context.Context, kv driver.KV, key string, ifVersion uint64) error {
		entry, err := kv.Get(ctx, key)
		if err == nil {
			mu.Lock()
			base[key] = entry.Version
			mu.Unlock()
		}
		return kv.Delete(ctx, key, ifVersion)
	}
}

// listKeysToo shows each key as a line.
func listKeysToo(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	kv, ok := d.(driver.KV)
	if !ok || !q.Once {
		return d.Watch(ctx, q)
	}
	return func(yield func(driver.Snapshot, error) bool) {
		for s, err := range d.Watch(ctx, q) {
			for keys, err := range kv.WatchKV(ctx, q) {
				if err != nil {
					break
				}
				for _, entry := range keys.Entries {
					s.Lines = append(s.Lines, driver.Line{Name: entry.Key, Places: []driver.Place{{Line: entry.Key}}})
				}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// putForOneself removes with a handle what was put by it.
func putForOneself(do *overrides) {
	var (
		mu   sync.Mutex
		keys = make(map[driver.KV][]string)
	)
	do.put = func(ctx context.Context, kv driver.KV, p driver.Put) (driver.Entry, error) {
		mu.Lock()
		keys[kv] = append(keys[kv], p.Key)
		mu.Unlock()
		return kv.Put(ctx, p)
	}
	do.close = func(d *handle) error {
		mu.Lock()
		defer mu.Unlock()
		if kv, ok := d.Driver.(driver.KV); ok {
			for _, key := range keys[kv] {
				_ = kv.Delete(context.Background(), key, 0) // the fault
			}
		}
		return d.Driver.Close()
	}
}
