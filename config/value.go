package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// ValueOptions are for Open. Zero values are the defaults.
type ValueOptions[T any] struct {
	// Default is what Get returns while there is no such key. Without one Open answers
	// ErrNotFound, and a key that is deleted later leaves the last value.
	Default *T
	// Decode reads a value; default is JSON.
	Decode func([]byte) (T, error)
	// Validate refuses a value that makes no sense.
	Validate func(T) error
	// OnChange is told each new value, in order, and OnError what is wrong: a value that was
	// refused, a store that is away. They are called by one goroutine, for which Close waits:
	// they must not call Close.
	OnChange func(T)
	OnError  func(error)
}

// Value is a setting of a Go type that follows its key in the store.
type Value[T any] struct {
	c    *Config
	key  string
	o    ValueOptions[T]
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	value   T
	version uint64
	newest  uint64 // of what was looked at, also what was refused
	refused error  // why the newest was
	err     error
}

// Open reads a key and follows it from there, until Close or until ctx ends. It answers
// ErrNotFound where there is neither the key nor a default, and what Decode or Validate say of
// a value where there is no default either.
func Open[T any](ctx context.Context, c *Config, key string, o *ValueOptions[T]) (*Value[T], error) {
	v := &Value[T]{c: c, key: key, done: make(chan struct{})}
	if o != nil {
		v.o = *o
	}
	if v.o.Decode == nil {
		v.o.Decode = func(text []byte) (value T, err error) { return value, json.Unmarshal(text, &value) }
	}
	if err := v.begin(ctx); err != nil {
		return nil, err
	}
	ctx, v.stop = context.WithCancel(ctx)
	go v.follow(ctx) // ends with Close, or with the caller's context
	return v, nil
}

// begin takes the first value.
func (v *Value[T]) begin(ctx context.Context) error {
	if v.o.Default != nil {
		v.value = *v.o.Default
	}
	e, err := v.c.Get(ctx, v.key)
	switch {
	case errors.Is(err, ErrNotFound) && v.o.Default != nil:
		return nil
	case err != nil:
		return err
	}
	v.newest = e.Version
	value, err := v.read(e)
	switch {
	case err == nil:
		v.value, v.version = value, e.Version
	case v.o.Default == nil:
		return err
	default:
		v.refused, v.err = err, err
	}
	return nil
}

// Get returns the newest value that was good.
func (v *Value[T]) Get() T {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.value
}

// Version returns the version of what Get returns, 0 for the default.
func (v *Value[T]) Version() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.version
}

// Err says why what Get returns may not be what the store has: the newest value was refused,
// the key is gone, the store is away, or the value is not followed any more. It is nil when the
// value is fresh.
func (v *Value[T]) Err() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// Close stops following the key. Get goes on to return the last value.
func (v *Value[T]) Close() {
	v.stop()
	<-v.done
}

func (v *Value[T]) read(e Entry) (value T, err error) {
	if value, err = v.o.Decode(e.Value); err == nil && v.o.Validate != nil {
		err = v.o.Validate(value)
	}
	if err != nil {
		return value, fmt.Errorf("config: %q, version %d: %w", v.key, e.Version, err)
	}
	return value, nil
}

func (v *Value[T]) follow(ctx context.Context) {
	defer close(v.done)
	err := v.c.follow(ctx, driver.Query{Name: keyPrefix + v.key}, func(s driver.KVSnapshot) bool {
		v.take(s)
		return true
	}, func(err error) bool {
		v.fault(fail("watch", v.key, err))
		return true
	})
	if ctx.Err() == nil {
		v.fault(fail("watch", v.key, err))
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = err // nobody wants to be told
}

// take looks at what the watch tells.
func (v *Value[T]) take(s driver.KVSnapshot) {
	for _, e := range s.Entries {
		v.changed(entryOf(e))
		return // one key has one entry
	}
	v.gone()
}

// changed takes a new value, if it is one, and good.
func (v *Value[T]) changed(e Entry) {
	v.mu.Lock()
	known := v.newest
	if e.Version == known {
		v.err = v.refused // the store is back, and nothing has changed
	}
	v.newest = max(known, e.Version)
	v.mu.Unlock()
	if e.Version <= known {
		return
	}
	value, err := v.read(e)
	v.mu.Lock()
	v.refused = err
	v.mu.Unlock()
	if err != nil {
		v.fault(err)
		return
	}
	v.set(value, e.Version)
}

// gone takes that there is no such key.
func (v *Value[T]) gone() {
	if v.o.Default == nil {
		v.fault(fail("watch", v.key, ErrNotFound))
		return
	}
	v.mu.Lock()
	isDefault := v.version == 0
	if isDefault {
		v.err = nil
	}
	v.mu.Unlock()
	if !isDefault {
		v.set(*v.o.Default, 0)
	}
}

func (v *Value[T]) set(value T, version uint64) {
	v.mu.Lock()
	v.value, v.version, v.err = value, version, nil
	v.mu.Unlock()
	if v.o.OnChange != nil {
		v.o.OnChange(value)
	}
}

func (v *Value[T]) fault(err error) {
	v.mu.Lock()
	v.err = err
	v.mu.Unlock()
	if v.o.OnError != nil {
		v.o.OnError(err)
	}
}
