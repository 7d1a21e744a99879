package memdriver

import (
	"bytes"
	"context"

	"github.com/holdgate/holdgate/driver"
)

// Get returns an entry.
func (d *Driver) Get(ctx context.Context, key string) (driver.Entry, error) {
	if err := driver.CheckName(key); err != nil {
		return driver.Entry{}, err
	}
	return call(ctx, d, Call{Op: OpGet, Line: key}, func(st *state) (driver.Entry, error) {
		return st.get(key)
	})
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
	return call(ctx, d, Call{Op: OpPut, Line: p.Key}, func(st *state) (driver.Entry, error) {
		return st.write(p)
	})
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, key string, ifVersion uint64) error {
	if err := driver.CheckName(key); err != nil {
		return err
	}
	_, err := call(ctx, d, Call{Op: OpDelete, Line: key}, func(st *state) (struct{}, error) {
		return struct{}{}, st.delete(key, ifVersion)
	})
	return err
}
