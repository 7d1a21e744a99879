package broken

import (
	"context"
	"iter"

	"github.com/holdgate/holdgate/driver"
)

// The map of the driver below, if it has one.

func (d *handle) Get(ctx context.Context, key string) (driver.Entry, error) {
	kv, ok := d.Driver.(driver.KV)
	if !ok {
		return driver.Entry{}, driver.ErrUnsupported
	}
	entry, err := d.do.get(ctx, kv, d.do.name(key))
	entry.Key = key
	return entry, d.fail(ctx, err)
}

func (d *handle) Put(ctx context.Context, p driver.Put) (driver.Entry, error) {
	kv, ok := d.Driver.(driver.KV)
	if !ok {
		return driver.Entry{}, driver.ErrUnsupported
	}
	key := p.Key
	p.Key = d.do.name(key)
	entry, err := d.do.put(ctx, kv, p)
	entry.Key = key
	return entry, d.fail(ctx, err)
}

func (d *handle) Delete(ctx context.Context, key string, ifVersion uint64) error {
	kv, ok := d.Driver.(driver.KV)
	if !ok {
		return driver.ErrUnsupported
	}
	return d.fail(ctx, d.do.remove(ctx, kv, d.do.name(key), ifVersion))
}

func (d *handle) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	kv, ok := d.Driver.(driver.KV)
	if !ok {
		return func(yield func(driver.KVSnapshot, error) bool) { yield(driver.KVSnapshot{}, driver.ErrUnsupported) }
	}
	return func(yield func(driver.KVSnapshot, error) bool) {
		for s, err := range d.do.watchKV(ctx, kv, q) {
			if !yield(s, d.fail(ctx, err)) {
				return
			}
		}
	}
}
