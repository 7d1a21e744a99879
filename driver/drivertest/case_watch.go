package drivertest

import (
	"slices"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

func watchCases() []testCase {
	return []testCase{
		{
			name: "watch/first-is-full",
			reason: "A watcher must know what is there before it can follow changes, and an empty store is an " +
				"answer too: without it, a watcher cannot tell empty from not yet.",
			needs: queue,
			run:   watchFirstIsFull,
		},
		{
			name:   "watch/follows-one-line",
			reason: "A watch of a name shows every state that lasts, and nothing of other lines.",
			needs:  queue,
			run:    watchOneLine,
		},
		{
			name:   "watch/follows-a-prefix",
			reason: "A watch of a prefix shows the lines that begin with it, old ones and new ones.",
			needs:  queue,
			run:    watchPrefix,
		},
		{
			name: "watch/shows-empty",
			reason: "A line that became empty is told as empty. Otherwise a list of members keeps the last " +
				"one for ever.",
			needs: queue,
			run:   watchShowsEmpty,
		},
		{
			name:   "watch/shows-every-kind-of-change",
			reason: "Enter, update, swap, leave and the end of a session all change a line.",
			needs:  queue,
			run:    watchEveryChange,
		},
		{
			name:   "watch/once-lists",
			reason: "With Once the watch is a listing: one full snapshot, and the end, without an error.",
			needs:  queue,
			run:    watchOnce,
		},
		{
			name: "watch/whole-or-refused",
			reason: "A single key may have no way to be watched. Then the watch says so at once; a sequence " +
				"that shows nothing would look like a store in which nothing happens.",
			needs: single,
			run:   watchWholeOrRefused,
		},
	}
}

// list reads a query once.
func (e *env) list(d driver.Driver, q driver.Query) []driver.Line {
	e.Helper()
	q.Once = true
	var got []driver.Snapshot
	for snapshot, err := range d.Watch(e.ctx(), q) {
		e.must(err, "Watch of %+v", q)
		got = append(got, snapshot)
	}
	if len(got) != 1 || !got[0].Full {
		e.Fatalf("Watch of %+v yielded %d snapshots, want one that is full", q, len(got))
	}
	for _, l := range got[0].Lines {
		e.sound(l)
	}
	return got[0].Lines
}

// names returns the names of the lines that have places.
func names(lines []driver.Line) []string {
	var names []string
	for _, l := range lines {
		if len(l.Places) > 0 {
			names = append(names, l.Name)
		}
	}
	return names
}

func watchFirstIsFull(e *env) {
	a := e.actor()
	for _, q := range []driver.Query{{Name: "orders"}, {Name: "orders", Prefix: true}, {Prefix: true}} {
		w := e.watch(a.drv, q)
		w.until("a first snapshot, empty", func(lines map[string]driver.Line) bool {
			return len(lines["orders"].Places) == 0
		})
	}
	p := a.take(mutex("orders"))
	a.take(mutex("stock"))
	for _, q := range []driver.Query{{Name: "orders"}, {Name: "ord", Prefix: true}, {Prefix: true}} {
		e.watch(e.dial(), q).shows("orders", p)
	}
}

func watchOneLine(e *env) {
	a, b := e.actor(), e.actor()
	w := e.watch(b.drv, driver.Query{Name: "orders"})
	holder := a.take(mutex("orders"))
	w.shows("orders", holder)
	a.take(mutex("orders/2")) // the watcher checks that it is told nothing of this one
	second := b.enter(mutex("orders"))
	w.shows("orders", holder, second)
	a.leave(holder)
	w.shows("orders", second)
}

func watchPrefix(e *env) {
	a := e.actor()
	old := a.take(mutex("app/one"))
	a.take(mutex("other"))
	w := e.watch(e.dial(), driver.Query{Name: "app/", Prefix: true})
	w.shows("app/one", old)
	var places []driver.Place
	for i := range 5 {
		places = append(places, a.take(mutex("app/more/"+strconv.Itoa(i))))
	}
	a.take(mutex("app"))
	a.take(mutex("apple"))
	w.until("all five new lines", func(lines map[string]driver.Line) bool { return len(lines) == 6 })
	for _, p := range places {
		w.shows(p.Line, p)
	}
}

func watchShowsEmpty(e *env) {
	a := e.actor()
	p, q := a.take(mutex("orders")), a.take(mutex("stock"))
	one := e.watch(e.dial(), driver.Query{Name: "orders"})
	all := e.watch(e.dial(), driver.Query{Prefix: true})
	one.shows("orders", p)
	all.shows("orders", p)
	a.leave(p)
	one.shows("orders")
	all.shows("orders")
	all.shows("stock", q)
	again := a.take(mutex("orders"))
	one.shows("orders", again)
	all.shows("orders", again)
}

func watchEveryChange(e *env) {
	a, b := e.actor(), e.actor()
	w := e.watch(e.dial(), driver.Query{Name: "orders"})
	p := a.take(mutex("orders"))
	w.shows("orders", p)
	p.Data = []byte(`"new"`)
	a.update(p)
	w.until("the new data", func(lines map[string]driver.Line) bool {
		places := lines["orders"].Places
		return len(places) == 1 && sameData(places[0].Data, p.Data)
	})
	second := b.enter(mutex("orders"))
	again := a.swap(p, mutex("orders"))
	w.shows("orders", second, again)
	b.end()
	w.shows("orders", again)
	a.leave(again)
	w.shows("orders")
}

func watchOnce(e *env) {
	a := e.actor()
	if got := names(e.list(a.drv, driver.Query{Prefix: true})); len(got) != 0 {
		e.Errorf("an empty store lists %q", got)
	}
	for _, name := range []string{"b/2", "a", "b/1", "b"} {
		a.take(mutex(name))
	}
	a.leave(a.take(mutex("b/gone")))
	for _, list := range []struct {
		query driver.Query
		want  []string
	}{
		{driver.Query{Prefix: true}, []string{"a", "b", "b/1", "b/2"}},
		{driver.Query{Name: "b", Prefix: true}, []string{"b", "b/1", "b/2"}},
		{driver.Query{Name: "b/", Prefix: true}, []string{"b/1", "b/2"}},
		{driver.Query{Name: "b"}, []string{"b"}},
		{driver.Query{Name: "c"}, nil},
	} {
		if got := names(e.list(e.dial(), list.query)); !slices.Equal(got, list.want) {
			e.Errorf("%+v lists %q, want %q", list.query, got, list.want)
		}
	}
}

func watchWholeOrRefused(e *env) {
	a := e.actor()
	a.take(mutex("orders"))
	yielded := 0
	for snapshot, err := range a.drv.Watch(e.ctx(), driver.Query{Name: "orders", Once: true}) {
		yielded++
		if err != nil {
			e.fails(err, driver.ErrUnsupported, "Watch on a single key")
			continue
		}
		if !snapshot.Full || !slices.Equal(names(snapshot.Lines), []string{"orders"}) {
			e.Errorf("got the snapshot %+v, want the line as it is", snapshot)
		}
	}
	if yielded != 1 {
		e.Errorf("Watch with Once yielded %d times, want one snapshot or one error", yielded)
	}
}
