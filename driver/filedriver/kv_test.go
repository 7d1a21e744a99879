//go:build unix

package filedriver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func (n *neighbour) put(key, value string) driver.Entry {
	n.Helper()
	e, err := n.d.Put(n.Context(), driver.Put{Key: key, Value: []byte(value)})
	if err != nil {
		n.Fatal(err)
	}
	return e
}

// crashesOfKeys are calls that change a key: it has one value or the other, whole, and can be
// written again.
func crashesOfKeys() []crash {
	before := func(n *neighbour) []string { return []string{fmt.Sprint(n.put("limit", "old").Version)} }
	after := func(values ...string) func(n *neighbour) {
		return func(n *neighbour) {
			e, err := n.d.Get(n.Context(), "limit")
			found := errors.Is(err, driver.ErrGone) && values[1] == ""
			for _, v := range values {
				found = found || err == nil && string(e.Value) == v
			}
			if !found {
				n.Errorf("the key has %q, %v; want one of %q", e.Value, err, values)
			}
			if next := n.put("limit", "next"); next.Version <= e.Version {
				n.Errorf("version %d follows %d", next.Version, e.Version)
			}
			if err := n.d.Delete(n.Context(), "limit", 0); err != nil {
				n.Error(err)
			}
			_ = os.Remove(n.d.root.keysDir()) // else it is among what is left
		}
	}
	return []crash{
		{name: "put a key", before: before, prepare: (*actor).open, act: func(a *actor) {
			_, err := a.d.Put(ctx(), driver.Put{Key: "limit", Value: []byte("new")})
			a.must(err)
		}, after: after("old", "new")},
		{name: "put the first key", prepare: (*actor).open, act: func(a *actor) {
			_, err := a.d.Put(ctx(), driver.Put{Key: "limit", Value: []byte("new"), TTL: time.Hour})
			a.must(err)
		}, after: after("new", "")},
		{name: "delete a key", before: before, prepare: (*actor).open, act: func(a *actor) {
			a.must(a.d.Delete(ctx(), "limit", 0))
		}, after: after("old", "")},
	}
}

// What others put among the keys is passed over in a listing, refused when it has a key's
// name, and never removed.
func TestForeignKeys(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	n.put("limit", "10")
	dir := n.d.root.keysDir()
	for _, name := range []string{"README", "notes", "x~y"} {
		write(t, filepath.Join(dir, name), "theirs")
	}
	for s, err := range n.d.WatchKV(t.Context(), driver.Query{Prefix: true, Once: true}) {
		if err != nil || len(s.Entries) != 1 || s.Entries[0].Key != "limit" {
			t.Errorf("listed %+v, %v; want only limit", s.Entries, err)
		}
	}
	if _, err := n.d.Get(t.Context(), "notes"); !errors.Is(err, driver.ErrMismatch) {
		t.Errorf("a file of other software is %v", err)
	}
	if _, err := n.d.Put(t.Context(), driver.Put{Key: "notes"}); !errors.Is(err, driver.ErrMismatch) {
		t.Errorf("and written over: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "notes")); err != nil || string(got) != "theirs" {
		t.Errorf("it has %q, %v", got, err)
	}
}

// Files of keys that have expired do not stay for ever.
func TestExpiredKeysAreRemoved(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	n.put("stays", "for good")
	put := func(ttl time.Duration) {
		t.Helper()
		if _, err := n.d.Put(t.Context(), driver.Put{Key: fmt.Sprintf("done/%d", time.Now().UnixNano()), TTL: ttl}); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		put(time.Nanosecond)
	}
	const most = 100 * cleaning // that nobody cleans in so many is a chance of 1 in 10^43
	for range most {
		put(time.Nanosecond)
		files, err := os.ReadDir(n.d.root.keysDir())
		if err != nil {
			t.Fatal(err)
		}
		if len(files) < 20 {
			e, err := n.d.Get(t.Context(), "stays")
			if err != nil || string(e.Value) != "for good" {
				t.Errorf("the key that does not expire has %q, %v", e.Value, err)
			}
			return
		}
	}
	t.Errorf("after %d puts all files are there", most)
}
