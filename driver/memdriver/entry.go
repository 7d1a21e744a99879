package memdriver

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// entry is a key of the KV with its value.
type entry struct {
	driver.Entry
	life *deadline // nil: it does not expire
}

func (e *entry) view() driver.Entry {
	out := e.Entry
	out.Value = bytes.Clone(e.Value)
	return out
}

func (st *state) get(key string) (driver.Entry, error) {
	e := st.entries[key]
	if e == nil {
		return driver.Entry{}, goneKey(key)
	}
	return e.view(), nil
}

func (st *state) write(p driver.Put) (driver.Entry, error) {
	e := st.entries[p.Key]
	if p.IfVersion != nil {
		if err := e.expect(p.Key, *p.IfVersion); err != nil {
			return driver.Entry{}, err
		}
	}
	if e != nil {
		st.erase(e)
	}
	st.writes++
	e = &entry{Entry: driver.Entry{Key: p.Key, Value: p.Value, Version: st.writes}}
	if p.TTL > 0 {
		e.life = &deadline{at: later(st.now, p.TTL), end: func() { st.erase(e) }}
		st.deadlines.add(e.life)
	}
	st.entries[p.Key] = e
	st.entryWatches.touch(p.Key)
	return e.view(), nil
}

func (st *state) delete(key string, ifVersion uint64) error {
	e := st.entries[key]
	if e == nil {
		return goneKey(key)
	}
	if ifVersion != 0 {
		if err := e.expect(key, ifVersion); err != nil {
			return err
		}
	}
	st.erase(e)
	return nil
}

// erase removes an entry and its deadline.
func (st *state) erase(e *entry) {
	if e.life != nil {
		st.deadlines.remove(e.life)
	}
	delete(st.entries, e.Key)
	st.entryWatches.touch(e.Key)
}

// expect compares versions; an entry that is not there has version 0.
func (e *entry) expect(key string, version uint64) error {
	var has uint64
	if e != nil {
		has = e.Version
	}
	if has != version {
		return fmt.Errorf("%w: key %q has version %d, not %d", driver.ErrConflict, key, has, version)
	}
	return nil
}

// allEntries returns the entries that the query covers, sorted by key.
func (st *state) allEntries(q driver.Query) driver.KVSnapshot {
	snap := driver.KVSnapshot{Full: true}
	for key, e := range st.entries {
		if q.Matches(key) {
			snap.Entries = append(snap.Entries, e.view())
		}
	}
	slices.SortFunc(snap.Entries, func(a, b driver.Entry) int { return strings.Compare(a.Key, b.Key) })
	return snap
}

// changedEntries returns what became of these keys, which are sorted.
func (st *state) changedEntries(keys []string) driver.KVSnapshot {
	var snap driver.KVSnapshot
	for _, key := range keys {
		if e := st.entries[key]; e != nil {
			snap.Entries = append(snap.Entries, e.view())
		} else {
			snap.Deleted = append(snap.Deleted, key)
		}
	}
	return snap
}

func goneKey(key string) error {
	return fmt.Errorf("%w: no key %q", driver.ErrGone, key)
}
