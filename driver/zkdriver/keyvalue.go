package zkdriver

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// An entry's version is the transaction that wrote it last, which grows over all of
// ZooKeeper. Every write also writes to the node above the entries: one watch shows all,
// and a condition on it finds an entry that was deleted and made again meanwhile, which
// the entry's own count of writes does not show.

// Get returns an entry.
func (d *Driver) Get(ctx context.Context, key string) (driver.Entry, error) {
	if err := driver.CheckName(key); err != nil {
		return driver.Entry{}, err
	}
	e, err := run(ctx, &d.reader, false, func(ctx context.Context) (driver.Entry, error) {
		c, err := d.reader.conn(ctx)
		if err != nil {
			return driver.Entry{}, err
		}
		if err := c.barrier(); err != nil {
			return driver.Entry{}, err
		}
		e, err := c.entry(key)
		if err != nil {
			return driver.Entry{}, err
		}
		return e.Entry, nil
	})
	if err != nil {
		return driver.Entry{}, fmt.Errorf("get %q: %w", key, err)
	}
	return e, nil
}

// Put writes a value.
func (d *Driver) Put(ctx context.Context, p driver.Put) (driver.Entry, error) {
	if err := p.Check(); err != nil {
		return driver.Entry{}, err
	}
	p.Value = bytes.Clone(p.Value)
	if p.IfVersion != nil {
		p.IfVersion = new(*p.IfVersion)
	}
	version, err := run(ctx, &d.reader, true, func(ctx context.Context) (uint64, error) {
		return d.change(ctx, func(c *conn) (uint64, error) { return c.put(p) })
	})
	if err != nil {
		return driver.Entry{}, fmt.Errorf("put %q: %w", p.Key, err)
	}
	return driver.Entry{Key: p.Key, Value: bytes.Clone(p.Value), Version: version}, nil
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, key string, ifVersion uint64) error {
	if err := driver.CheckName(key); err != nil {
		return err
	}
	_, err := run(ctx, &d.reader, true, func(ctx context.Context) (uint64, error) {
		return d.change(ctx, func(c *conn) (uint64, error) { return 0, c.delete(key, ifVersion) })
	})
	if err != nil {
		return fmt.Errorf("delete %q: %w", key, err)
	}
	return nil
}

// change makes attempts until none is overtaken by another write.
func (d *Driver) change(ctx context.Context, attempt func(*conn) (uint64, error)) (uint64, error) {
	c, err := d.reader.conn(ctx)
	if err != nil {
		return 0, err
	}
	for {
		version, err := attempt(c)
		switch {
		case !answer(err):
			return version, err
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		case oneOf(err, zk.ErrNoNode):
			if err := c.makePath(c.d.layout.entries()); err != nil {
				return 0, err
			}
		}
	}
}

// put makes one attempt. It answers as ZooKeeper does when another write came between.
func (c *conn) put(p driver.Put) (uint64, error) {
	path, all := c.d.layout.entry(p.Key), c.d.layout.entries()
	data := packValue(p.TTL, p.Value)
	old, count, err := c.stored(p.Key)
	if err != nil {
		return 0, err
	}
	if p.IfVersion != nil && old.Version != *p.IfVersion {
		return 0, fmt.Errorf("%w: key %q has version %d, not %d", driver.ErrConflict, p.Key, old.Version, *p.IfVersion)
	}
	// A new node is written twice: only a write tells the transaction.
	ops := []any{set(all, nil, count), set(path, data, anyVersion)}
	if old.Version == 0 {
		ops = []any{set(all, nil, count), c.create(path, nil, zk.FlagPersistent), set(path, data, anyVersion)}
	}
	answers, err := c.zk.Multi(ops...)
	if err != nil {
		return 0, wrote(err)
	}
	return uint64(answers[len(answers)-1].Stat.Mzxid), nil
}

// delete makes one attempt.
func (c *conn) delete(key string, ifVersion uint64) error {
	old, count, err := c.stored(key)
	switch {
	case err != nil:
		return err
	case old.Version == 0:
		return fmt.Errorf("%w: no key %q", driver.ErrGone, key)
	case ifVersion != 0 && old.Version != ifVersion:
		return fmt.Errorf("%w: key %q has version %d, not %d", driver.ErrConflict, key, old.Version, ifVersion)
	}
	return c.deleteEntry(key, count)
}

func (c *conn) deleteEntry(key string, count int32) error {
	_, err := c.zk.Multi(set(c.d.layout.entries(), nil, count), remove(c.d.layout.entry(key)))
	return wrote(err)
}

// stored reads an entry, of version 0 when there is none, and the count of all writes from
// before: a write on the condition of that count is one on all that was read. What is
// over is removed.
func (c *conn) stored(key string) (e entry, count int32, err error) {
	if err := c.barrier(); err != nil {
		return e, 0, err
	}
	_, stat, err := c.zk.Get(c.d.layout.entries())
	if err != nil {
		return e, 0, read(err)
	}
	e, err = c.entry(key)
	if oneOf(err, driver.ErrGone) {
		return entry{}, stat.Version, nil
	}
	return e, stat.Version, err
}

// entry is an entry as it is stored.
type entry struct {
	driver.Entry
	// left is how long it has until it is over, 0 for ever.
	left time.Duration
}

// entry reads an entry. It answers ErrGone when there is none, or when it is over: then it
// is removed first.
func (c *conn) entry(key string) (entry, error) {
	for {
		data, stat, err := c.zk.Get(c.d.layout.entry(key))
		switch {
		case oneOf(err, zk.ErrNoNode):
			return entry{}, fmt.Errorf("%w: no key %q", driver.ErrGone, key)
		case err != nil:
			return entry{}, read(err)
		}
		ttl, value := unpackValue(data)
		e := entry{Entry: driver.Entry{Key: key, Value: value, Version: uint64(stat.Mzxid)}}
		if ttl == 0 {
			return e, nil
		}
		now, err := c.now()
		if err != nil {
			return entry{}, err
		}
		if e.left = time.Duration(stat.Mtime+ttl-now) * time.Millisecond; e.left > 0 {
			return e, nil
		}
		if err := c.deleteOver(key, stat); err != nil {
			return entry{}, err
		}
	}
}

// deleteOver removes an entry that is over, unless it was written again.
func (c *conn) deleteOver(key string, was *zk.Stat) error {
	_, all, err := c.zk.Get(c.d.layout.entries())
	if err != nil {
		return read(err)
	}
	stands, stat, err := c.zk.Exists(c.d.layout.entry(key))
	if err != nil || !stands || stat.Mzxid != was.Mzxid {
		return read(err)
	}
	if err := c.deleteEntry(key, all.Version); !answer(err) {
		return err
	}
	return nil
}

// A node's data is the value behind its TTL in milliseconds, 0 for none.
const ttlLen = 8

func packValue(ttl time.Duration, value []byte) []byte {
	ms := (ttl + time.Millisecond - 1) / time.Millisecond
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, ttlLen+len(value)), uint64(ms)), value...)
}

func unpackValue(data []byte) (ttl int64, value []byte) {
	if len(data) < ttlLen {
		return 0, nil // of other software
	}
	return int64(binary.BigEndian.Uint64(data)), data[ttlLen:]
}
