package redisdriver

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

// Get returns an entry.
func (d *Driver) Get(ctx context.Context, key string) (driver.Entry, error) {
	if err := driver.CheckName(key); err != nil {
		return driver.Entry{}, err
	}
	answer, err := d.call(ctx, newRequest(d.scripts.get, d.keys.ofEntry(key), key))
	switch {
	case err != nil:
		return driver.Entry{}, fmt.Errorf("get %q: %w", key, err)
	case answer.text(0) == "":
		return driver.Entry{}, noKey(key)
	}
	return driver.Entry{Key: key, Value: []byte(answer.text(1)), Version: uint64(number(answer.text(0)))}, nil
}

// Put writes a value.
func (d *Driver) Put(ctx context.Context, p driver.Put) (driver.Entry, error) {
	if err := p.Check(); err != nil {
		return driver.Entry{}, err
	}
	expected := ""
	if p.IfVersion != nil {
		expected = strconv.FormatUint(*p.IfVersion, 10)
	}
	value := string(p.Value)
	answer, err := d.call(ctx, newRequest(d.scripts.put, d.keys.ofEntry(p.Key), p.Key, value, expected, milliseconds(p.TTL)))
	if err == nil && answer.text(0) != saysOK {
		err = answer.refusal(p.Key, "")
	}
	if err != nil {
		return driver.Entry{}, fmt.Errorf("put %q: %w", p.Key, err)
	}
	return driver.Entry{Key: p.Key, Value: []byte(value), Version: uint64(number(answer.text(1)))}, nil
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, key string, ifVersion uint64) error {
	if err := driver.CheckName(key); err != nil {
		return err
	}
	version := strconv.FormatUint(ifVersion, 10)
	answer, err := d.call(ctx, newRequest(d.scripts.delete, d.keys.ofEntry(key), key, version))
	switch {
	case err != nil:
		return fmt.Errorf("delete %q: %w", key, err)
	case answer.text(0) == saysGone:
		return noKey(key)
	case answer.text(0) != saysOK:
		return fmt.Errorf("delete %q: %w", key, answer.refusal(key, ""))
	}
	return nil
}

func noKey(key string) error { return fmt.Errorf("%w: no key %q", driver.ErrGone, key) }

// WatchKV yields the entries that the query matches, and then those that changed.
func (d *Driver) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	return follow(ctx, d, q, source[driver.KVSnapshot]{
		channel: d.keys.entry,
		all:     func(ctx context.Context) (driver.KVSnapshot, error) { return d.allEntries(ctx, q) },
		some:    d.someEntries,
	})
}

func (d *Driver) allEntries(ctx context.Context, q driver.Query) (driver.KVSnapshot, error) {
	if !q.Prefix {
		snapshot, err := d.someEntries(ctx, []string{q.Name})
		return driver.KVSnapshot{Entries: snapshot.Entries, Full: true}, err
	}
	all := driver.KVSnapshot{Full: true}
	err := d.pages(ctx, d.scripts.entries, d.keys.entries, q.Name, func(told reply) error {
		if version := told.text(1); version != "" {
			all.Entries = append(all.Entries, driver.Entry{
				Key: told.text(0), Value: []byte(told.text(2)), Version: uint64(number(version)),
			})
		}
		return nil
	})
	return all, err
}

func (d *Driver) someEntries(ctx context.Context, keys []string) (driver.KVSnapshot, error) {
	var some driver.KVSnapshot
	for _, key := range keys {
		entry, err := d.Get(ctx, key)
		switch {
		case err == nil:
			some.Entries = append(some.Entries, entry)
		case oneOf(err, driver.ErrGone):
			some.Deleted = append(some.Deleted, key)
		default:
			return driver.KVSnapshot{}, err
		}
	}
	return some, nil
}
