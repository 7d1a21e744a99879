package filedriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// The map is a file for each key, in a directory of its own. Who changes a key holds the
// stripe of its name, whose counter gives the version; who reads one does not. A value is
// flushed to the disk before it is told of: unlike locks it outlives the kernel.

// key is a key of the map, and where it lies.
type key struct {
	d      *Driver
	name   string
	path   string
	stripe *stripe
}

func (d *Driver) key(name string) *key {
	file, _ := escape(name)
	return &key{d: d, name: name, path: filepath.Join(d.root.keysDir(), file), stripe: d.stripes[stripeOf(name)]}
}

// Get returns an entry.
func (d *Driver) Get(ctx context.Context, name string) (driver.Entry, error) {
	if err := driver.CheckName(name); err != nil {
		return driver.Entry{}, err
	}
	k, err := d.calls.begin(ctx)
	if err != nil {
		return driver.Entry{}, err
	}
	defer k.done()
	r, err := d.key(name).read()
	switch {
	case err != nil:
		return driver.Entry{}, translate(err)
	case !r.stands():
		return driver.Entry{}, noKey(name)
	}
	return r.Entry, nil
}

// Put writes a value.
func (d *Driver) Put(ctx context.Context, p driver.Put) (driver.Entry, error) {
	if err := p.Check(); err != nil {
		return driver.Entry{}, err
	}
	k, err := d.calls.begin(ctx)
	if err != nil {
		return driver.Entry{}, err
	}
	defer k.done()
	e, err := d.key(p.Key).put(k, p)
	if err == nil && p.TTL > 0 {
		d.cleanKeys()
	}
	return e, translate(err)
}

func (y *key) put(k *call, p driver.Put) (driver.Entry, error) {
	if err := y.d.root.makeKeysDir(); err != nil {
		return driver.Entry{}, err
	}
	if err := y.stripe.lock(k); err != nil {
		return driver.Entry{}, err
	}
	defer y.stripe.unlock()
	old, err := y.read()
	if err != nil {
		return driver.Entry{}, err
	}
	if p.IfVersion != nil && *p.IfVersion != old.now() {
		return driver.Entry{}, otherVersion(y.name, old.now(), *p.IfVersion)
	}
	version, err := y.stripe.nextOrder(old.Version)
	if err != nil {
		return driver.Entry{}, err
	}
	next := keyRecord{Entry: driver.Entry{Key: y.name, Value: bytes.Clone(p.Value), Version: version}}
	if p.TTL > 0 {
		next.expires = time.Now().Add(p.TTL)
	}
	return next.Entry, y.d.root.putFlushed(y.path, next.format())
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, name string, ifVersion uint64) error {
	if err := driver.CheckName(name); err != nil {
		return err
	}
	k, err := d.calls.begin(ctx)
	if err != nil {
		return err
	}
	defer k.done()
	return translate(d.key(name).remove(k, ifVersion))
}

func (y *key) remove(k *call, ifVersion uint64) error {
	if !exists(y.path) {
		return noKey(y.name)
	}
	if err := y.stripe.lock(k); err != nil {
		return err
	}
	defer y.stripe.unlock()
	old, err := y.read()
	switch {
	case err != nil:
		return err
	case !old.stands():
		return noKey(y.name)
	case ifVersion != 0 && ifVersion != old.Version:
		return otherVersion(y.name, old.Version, ifVersion)
	}
	return y.d.root.unlinkFlushed(y.path)
}

// read returns what is kept of the key, which is nothing when there is no such file.
func (y *key) read() (keyRecord, error) {
	r, err := readKey(y.path)
	if errors.Is(err, fs.ErrNotExist) {
		return keyRecord{}, nil
	}
	if err == nil && r.Key != y.name {
		err = fmt.Errorf("%w: file %s is not that of the key %q", driver.ErrMismatch, y.path, y.name)
	}
	return r, err
}

func noKey(name string) error { return fmt.Errorf("%w: no key %q", driver.ErrGone, name) }

func otherVersion(name string, has, wanted uint64) error {
	return fmt.Errorf("%w: key %q has version %d, not %d", driver.ErrConflict, name, has, wanted)
}
