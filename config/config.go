package config

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// keyPrefix keeps settings apart from what else is kept in the store's map.
const keyPrefix = "holdgate.config/"

// MaxKey and MaxValue are how long keys and values may be, in bytes.
const (
	MaxKey   = driver.MaxName - len(keyPrefix)
	MaxValue = driver.MaxValue
)

// DefaultPatience is how long a call goes on while the store cannot be reached.
const DefaultPatience = 15 * time.Second

// The kinds of error, beside the cause of a context that ended.
var (
	// ErrNotFound: there is no such key.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the key has another version than was asked for. Nothing was changed.
	ErrConflict = driver.ErrConflict
	// ErrUnavailable: the store could not be reached.
	ErrUnavailable = driver.ErrUnavailable
	// ErrUnknownOutcome: a write was sent, and its answer was lost. Read before you write
	// again: somebody may have written since.
	ErrUnknownOutcome = driver.ErrUnknownOutcome
	// ErrUnsupported: the store has no map.
	ErrUnsupported = driver.ErrUnsupported
	// ErrInvalid: a key is UTF-8 of 1 to MaxKey bytes without NUL.
	ErrInvalid = driver.ErrInvalid
	// ErrTooLarge: a value has at most MaxValue bytes.
	ErrTooLarge = driver.ErrTooLarge
)

// Options are for New. Zero values are the defaults.
type Options struct {
	// Patience is how long a call goes on while the store cannot be reached, if its context
	// does not end first; default DefaultPatience.
	Patience time.Duration
}

// Config is the settings of one store.
type Config struct {
	kv       driver.KV
	patience time.Duration
}

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value []byte
	// Version is never 0, and grows with every change of the key, also when it was deleted
	// in between.
	Version uint64
}

// New returns the settings of the store that drv is a handle on. They end with it. It answers
// ErrUnsupported where the store has no map (Features.KV).
func New(drv driver.Driver, o *Options) (*Config, error) {
	f := drv.Features()
	kv, ok := drv.(driver.KV)
	if !f.KV || !ok {
		return nil, fmt.Errorf("config: %w: %s keeps no settings", ErrUnsupported, f.Store)
	}
	c := &Config{kv: kv, patience: DefaultPatience}
	if o != nil && o.Patience != 0 {
		c.patience = o.Patience
	}
	if c.patience < 0 {
		return nil, fmt.Errorf("config: %w: Options.Patience is not negative, %v is", ErrInvalid, c.patience)
	}
	return c, nil
}

// Get returns the newest entry of a key, or ErrNotFound.
func (c *Config) Get(ctx context.Context, key string) (Entry, error) {
	if err := CheckKey(key); err != nil {
		return Entry{}, fail("get", key, err)
	}
	var e driver.Entry
	err := c.try(ctx, func(ctx context.Context) (err error) {
		e, err = c.kv.Get(ctx, keyPrefix+key)
		return err
	})
	if err != nil {
		return Entry{}, fail("get", key, err)
	}
	return entryOf(e), nil
}

// Put writes a key, whatever its value was.
func (c *Config) Put(ctx context.Context, key string, value []byte) (Entry, error) {
	return c.put(ctx, driver.Put{Key: key, Value: value})
}

// PutIf writes a key if it has this version, 0 for "not there". Else it answers ErrConflict.
func (c *Config) PutIf(ctx context.Context, key string, value []byte, version uint64) (Entry, error) {
	return c.put(ctx, driver.Put{Key: key, Value: value, IfVersion: &version})
}

func (c *Config) put(ctx context.Context, p driver.Put) (Entry, error) {
	key := p.Key
	if err := CheckKey(key); err != nil {
		return Entry{}, fail("put", key, err)
	}
	p.Key = keyPrefix + key
	var e driver.Entry
	err := c.try(ctx, func(ctx context.Context) (err error) {
		e, err = c.kv.Put(ctx, p)
		return err
	})
	if err != nil {
		return Entry{}, fail("put", key, err)
	}
	return entryOf(e), nil
}

// Delete removes a key, or answers ErrNotFound.
func (c *Config) Delete(ctx context.Context, key string) error { return c.remove(ctx, key, 0) }

// DeleteIf removes a key if it has this version, which is not 0. Else it answers ErrConflict.
func (c *Config) DeleteIf(ctx context.Context, key string, version uint64) error {
	if version == 0 {
		return fail("delete", key, fmt.Errorf("%w: no key that is there has version 0", ErrInvalid))
	}
	return c.remove(ctx, key, version)
}

func (c *Config) remove(ctx context.Context, key string, version uint64) error {
	err := CheckKey(key)
	if err == nil {
		err = c.try(ctx, func(ctx context.Context) error { return c.kv.Delete(ctx, keyPrefix+key, version) })
	}
	if err != nil {
		return fail("delete", key, err)
	}
	return nil
}

// List returns all entries whose key begins with prefix, sorted by key.
func (c *Config) List(ctx context.Context, prefix string) ([]Entry, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, fail("list", prefix, err)
	}
	var entries []Entry
	err := c.try(ctx, func(ctx context.Context) error {
		for s, err := range c.kv.WatchKV(ctx, driver.Query{Name: keyPrefix + prefix, Prefix: true, Once: true}) {
			if err != nil {
				return err
			}
			entries = entriesOf(s.Entries)
			return nil
		}
		return fmt.Errorf("%w: the store listed nothing", ErrUnavailable)
	})
	if err != nil {
		return nil, fail("list", prefix, err)
	}
	return entries, nil
}

// CheckKey reports what is wrong with a key, as ErrInvalid. Every call does so itself.
func CheckKey(key string) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: a key has 1 to %d bytes, this one is empty", ErrInvalid, MaxKey)
	case len(key) > MaxKey:
		return fmt.Errorf("%w: a key has 1 to %d bytes, this one has %d", ErrInvalid, MaxKey, len(key))
	}
	return driver.CheckName(key)
}

func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return CheckKey(prefix)
}

func entryOf(e driver.Entry) Entry {
	return Entry{Key: strings.TrimPrefix(e.Key, keyPrefix), Value: e.Value, Version: e.Version}
}

func entriesOf(all []driver.Entry) []Entry {
	entries := make([]Entry, len(all))
	for i, e := range all {
		entries[i] = entryOf(e)
	}
	return entries
}

// fail says which call on which key failed.
func fail(what, key string, err error) error {
	if errors.Is(err, driver.ErrGone) {
		err = ErrNotFound
	}
	return fmt.Errorf("config: %s %q: %w", what, key, err)
}
