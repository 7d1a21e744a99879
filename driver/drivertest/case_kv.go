package drivertest

import (
	"bytes"
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func kvCases() []testCase {
	return []testCase{
		{
			name:   "kv/round-trip",
			reason: "What was put is what is read, on every handle, as soon as the put was answered.",
			needs:  kv,
			run:    kvRoundTrip,
		},
		{
			name:   "kv/names",
			reason: "Keys are any text, as names of lines are, and no two are related.",
			needs:  kv,
			run:    kvNames,
		},
		{
			name: "kv/apart-from-lines",
			reason: "Keys and lines are two spaces: a setting called as a lock is neither in its way nor " +
				"listed beside it.",
			needs: kv,
			run:   kvApartFromLines,
		},
		{
			name:   "kv/bad-input",
			reason: "Bad keys and values that are too large are refused, and nothing is written.",
			needs:  kv,
			run:    kvBadInput,
		},
		{
			name: "kv/ttl",
			reason: "A key that says a job was done today is gone tomorrow, by the store's time: not later " +
				"than asked, and never before, or the job runs twice.",
			needs: kv, slow: true,
			run: kvTTL,
		},
		{
			name:   "kv/not-bound-to-a-session",
			reason: "Configuration outlives whoever wrote it.",
			needs:  kv,
			run:    kvOutlivesHandle,
		},
		{
			name: "kv/refused",
			reason: "A driver that declares no map must not have one that half works: the program has " +
				"chosen another way by then.",
			needs: not(kv),
			run:   kvRefused,
		},
	}
}

// kv gives the map of one more handle.
func (e *env) kv() driver.KV {
	e.Helper()
	m, ok := e.dial().(driver.KV)
	if !ok {
		e.Fatal("the driver declares KV and does not implement it")
	}
	return m
}

// put writes a value without a condition.
func (e *env) put(m driver.KV, key, value string) driver.Entry {
	e.Helper()
	entry, err := m.Put(e.ctx(), driver.Put{Key: key, Value: []byte(value)})
	e.must(err, "Put of %.40q", key)
	if entry.Key != key || string(entry.Value) != value || entry.Version == 0 {
		e.Fatalf("Put of %.40q = %.40q returned %.80q = %.80q of version %d", key, value, entry.Key, entry.Value, entry.Version)
	}
	return entry
}

// holds checks what a key has.
func (e *env) holds(m driver.KV, want driver.Entry) {
	e.Helper()
	got, err := m.Get(e.ctx(), want.Key)
	e.must(err, "Get of %.40q", want.Key)
	if got.Key != want.Key || !bytes.Equal(got.Value, want.Value) || got.Version != want.Version {
		e.Errorf("Get of %.40q: got %.40q = %.40q of version %d, want %.40q of version %d",
			want.Key, got.Key, got.Value, got.Version, want.Value, want.Version)
	}
}

// lacks checks that a key is not there.
func (e *env) lacks(m driver.KV, key string) {
	e.Helper()
	_, err := m.Get(e.ctx(), key)
	e.fails(err, driver.ErrGone, "Get of %.40q, which is not there", key)
}

func kvRoundTrip(e *env) {
	a, b := e.kv(), e.kv()
	e.lacks(a, "limit")
	values := []string{"", "10", "\x00\xff binary", string(bytes.Repeat([]byte("锁"), driver.MaxValue/3))}
	for _, value := range values {
		entry := e.put(a, "limit", value)
		e.holds(b, entry)
		e.holds(b, entry)
	}
	entry, err := a.Put(e.ctx(), driver.Put{Key: "limit", Value: nil})
	e.must(err, "Put of no value")
	e.holds(b, entry)
	e.must(b.Delete(e.ctx(), "limit", 0), "Delete")
	e.lacks(a, "limit")

	value := []byte("as put")
	entry, err = a.Put(e.ctx(), driver.Put{Key: "limit", Value: value})
	e.must(err, "Put")
	entry.Value = []byte("as put")
	scribble(value)
	e.holds(b, entry)
}

func kvNames(e *env) {
	a, b := e.kv(), e.kv()
	all := append(oddNames(), randomNames(newRand(), e.rounds(50))...)
	entries := make([]driver.Entry, len(all))
	for i, key := range all {
		entries[i] = e.put(a, key, "value "+strconv.Itoa(i))
	}
	for _, entry := range entries {
		e.holds(b, entry)
	}
	for i, key := range all {
		if i%2 == 0 {
			e.must(a.Delete(e.ctx(), key, 0), "Delete of %.40q", key)
		}
	}
	for i, entry := range entries {
		if i%2 == 0 {
			e.lacks(b, entry.Key)
		} else {
			e.holds(b, entry)
		}
	}
}

func kvApartFromLines(e *env) {
	m, a := e.kv(), e.actor()
	entry := e.put(m, "orders", "10")
	p := a.take(mutex("orders"))
	a.stands("orders", p)
	if got := names(e.list(a.drv, driver.Query{Prefix: true})); len(got) != 1 {
		e.Errorf("the lines are listed as %q, want only orders", got)
	}
	a.leave(p)
	e.holds(m, entry)
	a.take(mutex("orders"))
	e.must(m.Delete(e.ctx(), "orders", 0), "Delete")
	a.busy(mutex("orders"))
}

func kvBadInput(e *env) {
	m := e.kv()
	entry := e.put(m, "limit", "10")
	for what, key := range badNames() {
		_, err := m.Get(e.ctx(), key)
		e.fails(err, driver.ErrInvalid, "Get with %s", what)
		_, err = m.Put(e.ctx(), driver.Put{Key: key, Value: []byte("x")})
		e.fails(err, driver.ErrInvalid, "Put with %s", what)
		e.fails(m.Delete(e.ctx(), key, 0), driver.ErrInvalid, "Delete with %s", what)
	}
	_, err := m.Put(e.ctx(), driver.Put{Key: "limit", Value: make([]byte, driver.MaxValue+1)})
	e.fails(err, driver.ErrTooLarge, "Put of %d bytes", driver.MaxValue+1)
	_, err = m.Put(e.ctx(), driver.Put{Key: "limit", Value: []byte("11"), TTL: -time.Second})
	e.fails(err, driver.ErrInvalid, "Put with a negative TTL")
	e.holds(m, entry)
}

func kvTTL(e *env) {
	m := e.kv()
	w := e.watchKV(m, driver.Query{Prefix: true})
	ttl := e.ttl
	sent := time.Now()
	entry, err := m.Put(e.ctx(), driver.Put{Key: "done/today", Value: []byte("yes"), TTL: ttl})
	e.must(err, "Put with a TTL")
	answered := time.Now()
	w.holds(entry)
	stays := e.put(m, "done/ever", "yes")
	_, err = m.Put(e.ctx(), driver.Put{Key: "done/twice", Value: []byte("yes"), TTL: ttl})
	e.must(err, "Put with a TTL")
	renewed := e.put(m, "done/twice", "yes, for good")
	w.lacksWithin(ttl+e.ExpirySlack+e.lag()+patience, "done/today")
	gone := time.Now()
	if early := sent.Add(ttl - ttl/100).Sub(gone); early > 0 {
		e.Errorf("a key was gone %v before its TTL of %v was over", early, ttl)
	}
	if late := gone.Sub(answered); late > ttl+e.ExpirySlack+e.lag() {
		e.Errorf("a key with a TTL of %v was gone after %v", ttl, late)
	}
	e.lacks(m, "done/today")
	e.holds(m, stays)
	e.holds(m, renewed)
}

func kvOutlivesHandle(e *env) {
	a := e.actor()
	m, ok := a.drv.(driver.KV)
	if !ok {
		e.Fatal("the driver declares KV and does not implement it")
	}
	entry := e.put(m, "limit", "10")
	a.end()
	a.crash()
	_, err := m.Get(e.ctx(), "limit")
	e.fails(err, driver.ErrClosed, "Get on a closed handle")
	_, err = m.Put(e.ctx(), driver.Put{Key: "limit", Value: []byte("11")})
	e.fails(err, driver.ErrClosed, "Put on a closed handle")
	e.fails(m.Delete(e.ctx(), "limit", 0), driver.ErrClosed, "Delete on a closed handle")
	e.holds(e.kv(), entry)
}

func kvRefused(e *env) {
	m, ok := e.dial().(driver.KV)
	if !ok {
		return // not to have the methods at all is the plainest refusal
	}
	_, err := m.Get(e.ctx(), "limit")
	e.fails(err, driver.ErrUnsupported, "Get")
	_, err = m.Put(e.ctx(), driver.Put{Key: "limit", Value: []byte("10")})
	e.fails(err, driver.ErrUnsupported, "Put")
	e.fails(m.Delete(e.ctx(), "limit", 0), driver.ErrUnsupported, "Delete")
	for _, err := range m.WatchKV(e.ctx(), driver.Query{Prefix: true, Once: true}) {
		e.fails(err, driver.ErrUnsupported, "WatchKV")
	}
}
