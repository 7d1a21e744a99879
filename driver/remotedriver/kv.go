package remotedriver

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strconv"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// Get returns an entry.
func (d *Driver) Get(ctx context.Context, key string) (driver.Entry, error) {
	if err := driver.CheckName(key); err != nil {
		return driver.Entry{}, err
	}
	return d.entry(ctx, "get", key, request{method: http.MethodGet, path: api.PathEntry, query: query{api.QueryKey: key}})
}

// Put writes a value.
func (d *Driver) Put(ctx context.Context, p driver.Put) (driver.Entry, error) {
	if err := p.Check(); err != nil {
		return driver.Entry{}, err
	}
	return d.entry(ctx, "put", p.Key, request{method: http.MethodPut, path: api.PathEntry, writes: true, body: api.NewEntryOf(p)})
}

// entry makes a request whose answer is an entry.
func (d *Driver) entry(ctx context.Context, what, key string, r request) (driver.Entry, error) {
	var e api.Entry
	r.answer = &e
	if err := d.do(ctx, r); err != nil {
		return driver.Entry{}, fmt.Errorf("%s %q: %w", what, key, err)
	}
	return e.Driver()
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, key string, ifVersion uint64) error {
	if err := driver.CheckName(key); err != nil {
		return err
	}
	q := query{api.QueryKey: key}
	if ifVersion != 0 {
		q[api.QueryIfVersion] = strconv.FormatUint(ifVersion, 10)
	}
	if err := d.do(ctx, request{method: http.MethodDelete, path: api.PathEntry, writes: true, query: q}); err != nil {
		return fmt.Errorf("delete %q: %w", key, err)
	}
	return nil
}

// WatchKV yields all entries that the query matches, then those that changed.
func (d *Driver) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	return func(yield func(driver.KVSnapshot, error) bool) {
		if err := q.Check(); err != nil {
			yield(driver.KVSnapshot{}, err)
			return
		}
		if !q.Once {
			follow(ctx, d, api.PathWatchEntries, asked(q, api.QueryKey), api.Entries.Driver, yield)
			return
		}
		var all api.Entries
		err := d.do(ctx, request{method: http.MethodGet, path: api.PathEntries, query: asked(q, api.QueryKey), answer: &all})
		if err != nil {
			yield(driver.KVSnapshot{}, fmt.Errorf("list entries: %w", err))
			return
		}
		yield(all.Driver())
	}
}
