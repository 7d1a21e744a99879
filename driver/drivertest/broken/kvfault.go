package broken

import (
	"bytes"
	"context"
	"iter"
	"strings"

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
