package drivertest

import (
	"errors"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

func kvWriteCases() []testCase {
	return []testCase{
		{
			name: "kv/version-grows",
			reason: "A version is never seen twice on a key, also when it was deleted in between: else an old " +
				"writer overwrites the new value (S65).",
			needs: kv,
			run:   kvVersionGrows,
		},
		{
			name:   "kv/put-if-version",
			reason: "A conditional put on an old version is refused, and changes nothing (S65).",
			needs:  kv,
			run:    kvPutIfVersion,
		},
		{
			name: "kv/put-if-absent",
			reason: "Work that is done once is claimed by writing a key that is not there yet: of many that " +
				"try, one succeeds.",
			needs: kv,
			run:   kvPutIfAbsent,
		},
		{
			name:   "kv/delete",
			reason: "A delete says when nothing was there, and a conditional one leaves another version alone.",
			needs:  kv,
			run:    kvDelete,
		},
		{
			name:   "kv/at-once",
			reason: "Many read, add one, and write back by version. No addition may be lost.",
			needs:  kv,
			run:    kvAtOnce,
		},
	}
}

// putIf writes a value on a condition.
func (e *env) putIf(m driver.KV, key, value string, version uint64) (driver.Entry, error) {
	return m.Put(e.ctx(), driver.Put{Key: key, Value: []byte(value), IfVersion: &version})
}

func kvVersionGrows(e *env) {
	a, b := e.kv(), e.kv()
	var last uint64
	for i := range e.rounds(50) {
		entry := e.put(a, "limit", "10")
		if entry.Version <= last {
			e.Fatalf("got the version %d after the version %d", entry.Version, last)
		}
		last = entry.Version
		if i%3 == 0 {
			e.must(b.Delete(e.ctx(), "limit", 0), "Delete")
		}
		a, b = b, a
	}
}

func kvPutIfVersion(e *env) {
	a, b := e.kv(), e.kv()
	first := e.put(a, "limit", "10")
	second, err := e.putIf(b, "limit", "20", first.Version)
	e.must(err, "Put on the version that stands")
	if second.Version <= first.Version {
		e.Errorf("got the version %d after the version %d", second.Version, first.Version)
	}
	for _, version := range []uint64{first.Version, second.Version + 1, 0} {
		_, err := e.putIf(a, "limit", "30", version)
		e.fails(err, driver.ErrConflict, "Put on version %d, when %d stands", version, second.Version)
	}
	e.holds(a, second)
	_, err = e.putIf(a, "not-there", "10", second.Version)
	e.fails(err, driver.ErrConflict, "Put on a version of a key that is not there")
	e.lacks(b, "not-there")
}

func kvPutIfAbsent(e *env) {
	maps := []driver.KV{e.kv(), e.kv(), e.kv(), e.kv()}
	for round := range e.rounds(50) {
		key := "done/" + strconv.Itoa(round)
		calls := make([]func() error, len(maps))
		for i, m := range maps {
			calls[i] = func() error { _, err := e.putIf(m, key, strconv.Itoa(i), 0); return err }
		}
		winner := -1
		for i, err := range e.together(calls...) {
			switch {
			case err != nil:
				e.fails(err, driver.ErrConflict, "Put of a key that is there")
			case winner >= 0:
				e.Fatal("two puts of a key that was not there succeeded")
			default:
				winner = i
			}
		}
		if winner < 0 {
			e.Fatal("no put of a key that was not there succeeded")
		}
		if got, err := maps[0].Get(e.ctx(), key); err != nil || string(got.Value) != strconv.Itoa(winner) {
			e.Fatalf("got the value %q (%v), want that of the winner, %d", got.Value, err, winner)
		}
	}
}

func kvDelete(e *env) {
	a, b := e.kv(), e.kv()
	e.fails(a.Delete(e.ctx(), "limit", 0), driver.ErrGone, "Delete of a key that never was")
	old := e.put(a, "limit", "10")
	entry := e.put(b, "limit", "20")
	e.fails(a.Delete(e.ctx(), "limit", old.Version), driver.ErrConflict, "Delete of a version that is over")
	e.holds(a, entry)
	e.must(a.Delete(e.ctx(), "limit", entry.Version), "Delete of the version that stands")
	e.lacks(b, "limit")
	e.fails(b.Delete(e.ctx(), "limit", 0), driver.ErrGone, "Delete, the second time")
	again, err := e.putIf(b, "limit", "30", 0)
	e.must(err, "Put of a key that was deleted")
	e.holds(a, again)
}

func kvAtOnce(e *env) {
	const adders = 4
	each := e.rounds(50)
	e.put(e.kv(), "count", "0")
	calls := make([]func() error, adders)
	for i := range calls {
		m := e.kv()
		calls[i] = func() error {
			for range each {
				if err := e.addOne(m); err != nil {
					return err
				}
			}
			return nil
		}
	}
	e.both(calls...)
	got, err := e.kv().Get(e.ctx(), "count")
	e.must(err, "Get")
	if want := strconv.Itoa(adders * each); string(got.Value) != want {
		e.Errorf("counted to %s, want %s", got.Value, want)
	}
}

// addOne repeats until no other write came between.
func (e *env) addOne(m driver.KV) error {
	for {
		entry, err := m.Get(e.ctx(), "count")
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(entry.Value))
		if err != nil {
			return err
		}
		if _, err := e.putIf(m, "count", strconv.Itoa(n+1), entry.Version); !errors.Is(err, driver.ErrConflict) {
			return err
		}
	}
}
