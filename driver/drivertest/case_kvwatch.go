package drivertest

import (
	"slices"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

func kvWatchCases() []testCase {
	return []testCase{
		{
			name:   "kv/watch-first-is-full",
			reason: "Who watches knows what is there before it follows changes, also when nothing is.",
			needs:  kv,
			run:    kvWatchFirst,
		},
		{
			name: "kv/watch-follows",
			reason: "A value changed twice quickly: the watcher ends on the last one, and sees keys come and " +
				"go (S65).",
			needs: kv,
			run:   kvWatchFollows,
		},
		{
			name:   "kv/watch-once-lists",
			reason: "With Once the watch is a listing: one full snapshot, sorted, and the end.",
			needs:  kv,
			run:    kvWatchOnce,
		},
		{
			name:   "kv/watch-ends-with-its-context",
			reason: "The end of the context is an error of the sequence, as for lines.",
			needs:  kv,
			run:    kvWatchEnds,
		},
	}
}

func kvWatchFirst(e *env) {
	m := e.kv()
	for _, q := range []driver.Query{{Name: "limit"}, {Name: "lim", Prefix: true}, {Prefix: true}} {
		e.watchKV(m, q).lacks("limit")
	}
	entry := e.put(m, "limit", "10")
	for _, q := range []driver.Query{{Name: "limit"}, {Name: "lim", Prefix: true}, {Prefix: true}} {
		e.watchKV(e.kv(), q).holds(entry)
	}
}

func kvWatchFollows(e *env) {
	m := e.kv()
	one := e.watchKV(e.kv(), driver.Query{Name: "app/limit"})
	all := e.watchKV(e.kv(), driver.Query{Name: "app/", Prefix: true})
	for range e.rounds(30) {
		var last driver.Entry
		for i := range 5 {
			last = e.put(m, "app/limit", strconv.Itoa(i))
		}
		e.put(m, "application", "not watched")
		one.holds(last)
		all.holds(last)
		e.must(m.Delete(e.ctx(), "app/limit", 0), "Delete")
		one.lacks("app/limit")
		all.lacks("app/limit")
	}
	other := e.put(m, "app/other", "20")
	all.holds(other)
}

func kvWatchOnce(e *env) {
	m := e.kv()
	for _, key := range []string{"b/2", "a", "b/1", "gone"} {
		e.put(m, key, "value of "+key)
	}
	e.must(m.Delete(e.ctx(), "gone", 0), "Delete")
	for _, list := range []struct {
		query driver.Query
		want  []string
	}{
		{driver.Query{Prefix: true}, []string{"a", "b/1", "b/2"}},
		{driver.Query{Name: "b/", Prefix: true}, []string{"b/1", "b/2"}},
		{driver.Query{Name: "a"}, []string{"a"}},
		{driver.Query{Name: "gone"}, nil},
	} {
		list.query.Once = true
		var got []string
		snapshots := 0
		for snapshot, err := range m.WatchKV(e.ctx(), list.query) {
			e.must(err, "WatchKV of %+v", list.query)
			if snapshots++; !snapshot.Full {
				e.Errorf("WatchKV of %+v: the snapshot is not full", list.query)
			}
			for _, entry := range snapshot.Entries {
				got = append(got, entry.Key)
				if string(entry.Value) != "value of "+entry.Key || entry.Version == 0 {
					e.Errorf("%q is listed as %q of version %d", entry.Key, entry.Value, entry.Version)
				}
			}
		}
		if snapshots != 1 || !slices.Equal(got, list.want) {
			e.Errorf("%+v lists %q in %d snapshots, want %q in one", list.query, got, snapshots, list.want)
		}
	}
}

func kvWatchEnds(e *env) {
	m := e.kv()
	w := e.watchKV(m, driver.Query{Prefix: true})
	w.lacks("limit")
	w.cancel(errGaveUp)
	e.awaits(w.ended, "the end of a watch of keys that was cancelled")
	e.cancelled(w.err, errGaveUp, "WatchKV")
	e.put(m, "limit", "10")
}
