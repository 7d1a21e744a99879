package config_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/holdgate/holdgate/config"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// inBubble runs a test on a clock of its own.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// faults lets calls of one operation go wrong.
type faults struct {
	mu    sync.Mutex
	op    memdriver.Op
	times int
	fault memdriver.Fault
	calls map[memdriver.Op]int
}

func (f *faults) inject(c memdriver.Call) memdriver.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[memdriver.Op]int)
	}
	f.calls[c.Op]++
	if c.Op != f.op || f.times == 0 {
		return memdriver.Fault{}
	}
	f.times--
	return f.fault
}

// next lets the next calls of an operation go wrong.
func (f *faults) next(op memdriver.Op, times int, fault memdriver.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.op, f.times, f.fault = op, times, fault
}

func (f *faults) count(op memdriver.Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// peer is a process with settings.
type peer struct {
	*config.Config
	drv    *memdriver.Driver
	faults *faults
}

func connect(t *testing.T, store *memdriver.Store) peer {
	t.Helper()
	p := peer{faults: &faults{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject})
	t.Cleanup(func() { p.drv.Close() })
	var err error
	if p.Config, err = config.New(p.drv, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p peer) put(t *testing.T, key, value string) config.Entry {
	t.Helper()
	e, err := p.Put(t.Context(), key, []byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (p peer) want(t *testing.T, key, value string) {
	t.Helper()
	e, err := p.Get(t.Context(), key)
	if err != nil || string(e.Value) != value || e.Key != key {
		t.Errorf("got %q = %q, %v; want %q", e.Key, e.Value, err, value)
	}
}

func wantErr(t *testing.T, err error, kinds ...error) {
	t.Helper()
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			t.Errorf("got error %v, want %v", err, kind)
		}
	}
}
