package broken

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func kvFaults() []Fault {
	return []Fault{
		{
			Name:     "a put ignores the version that it is conditional on",
			CaughtBy: []string{"kv/put-if-version", "kv/put-if-absent", "kv/at-once"},
			plant: changePut(func(p *driver.Put) {
				pause()
				p.IfVersion = nil
			}),
		},
		{
			Name:     "a put forgets its TTL",
			CaughtBy: []string{"kv/ttl"},
			plant:    changePut(func(p *driver.Put) { p.TTL = 0 }),
		},
		{
			Name:     "a key expires early",
			CaughtBy: []string{"kv/ttl"},
			plant:    changePut(func(p *driver.Put) { p.TTL /= 2 }),
		},
		{
			Name:     "a value is cut at its first NUL",
			CaughtBy: []string{"kv/round-trip"},
			plant: changePut(func(p *driver.Put) {
				p.Value, _, _ = bytes.Cut(p.Value, []byte{0})
			}),
		},
		{
			Name:     "a delete ignores the version that it is conditional on",
			CaughtBy: []string{"kv/delete"},
			plant: func(do *overrides) {
				do.remove = func(ctx context.Context, kv driver.KV, key string, _ uint64) error {
					return kv.Delete(ctx, key, 0)
				}
			},
		},
		{
			Name:     "versions start anew after a delete",
			CaughtBy: []string{"kv/version-grows"},
			plant:    restartVersions,
		},
		{
			Name:     "keys are folded to lower case",
			CaughtBy: []string{"kv/names", "names/round-trip"},
			plant:    rename(strings.ToLower),
		},
		{
			Name:     "keys stand among the lines",
			CaughtBy: []string{"kv/apart-from-lines"},
			plant: func(do *overrides) {
				do.watch = func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
					return listKeysToo(ctx, d, q)
				}
			},
		},
		{
			Name:     "what a handle has put goes with it",
			CaughtBy: []string{"kv/not-bound-to-a-session"},
			plant:    putForOneself,
		},
		{
			Name:     "a key with a bad name is put under another one",
			CaughtBy: []string{"kv/bad-input"},
			plant:    mend,
		},
		{
			Name:     "a watch of keys does not tell what was deleted",
			CaughtBy: []string{"kv/watch-follows", "kv/ttl"},
			plant: watchKeys(func(s driver.KVSnapshot) (driver.KVSnapshot, bool) {
				s.Deleted = nil
				return s, true
			}),
		},
		{
			Name:     "a watch of no keys tells nothing",
			CaughtBy: []string{"kv/watch-first-is-full", "kv/watch-once-lists"},
			plant: watchKeys(func(s driver.KVSnapshot) (driver.KVSnapshot, bool) {
				return s, !s.Full || len(s.Entries) > 0
			}),
		},
		{
			Name:     "a watch of keys ends without an error",
			CaughtBy: []string{"kv/watch-ends-with-its-context"},
			plant: func(do *overrides) {
				do.watchKV = func(ctx context.Context, kv driver.KV, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
					return func(yield func(driver.KVSnapshot, error) bool) {
						for s, err := range kv.WatchKV(ctx, q) {
							if err != nil || !yield(s, nil) {
								return
							}
						}
					}
				}
			},
		},
	}
}

func changePut(change func(*driver.Put)) func(*overrides) {
	return func(do *overrides) {
		do.put = func(ctx context.Context, kv driver.KV, p driver.Put) (driver.Entry, error) {
			change(&p)
			return kv.Put(ctx, p)
		}
	}
}

// watchKeys changes what a watch of keys yields, or withholds it.
func watchKeys(change func(driver.KVSnapshot) (changed driver.KVSnapshot, shown bool)) func(*overrides) {
	return func(do *overrides) {
		do.watchKV = func(ctx context.Context, kv driver.KV, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
			return func(yield func(driver.KVSnapshot, error) bool) {
				for s, err := range kv.WatchKV(ctx, q) {
					changed, shown := s, true
					if err == nil {
						changed, shown = change(s)
					}
					if shown && !yield(changed, err) {
						return
					}
				}
			}
		}
	}
}

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
