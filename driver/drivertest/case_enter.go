package drivertest

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

func enterCases() []testCase {
	return []testCase{
		{
			name: "enter/granted-at-once",
			reason: "A free lock costs one call: nobody should have to wait for a line that is empty, " +
				"nor to ask again whether it was granted.",
			run: enterGrantedAtOnce,
		},
		{
			name:   "enter/waits-behind",
			reason: "This is mutual exclusion: who comes second is in line, and not granted.",
			needs:  queue,
			run:    enterWaitsBehind,
		},
		{
			name: "enter/shown-to-all",
			reason: "People ask from another machine who holds, since when and for what. Every handle must " +
				"show the very place that Enter returned.",
			needs: queue,
			run:   enterShownToAll,
		},
		{
			name: "enter/own-session-waits-too",
			reason: "The goroutines of one process share a session. A line counts places, not sessions: " +
				"the second place of the same session waits like any other (S04).",
			needs: queue,
			run:   enterOwnSessionWaits,
		},
		{
			name:   "enter/many-lines",
			reason: "One session carries all the locks of a process; they are independent of each other.",
			run:    enterManyLines,
		},
		{
			name: "enter/data-is-copied",
			reason: "A caller reuses its buffers, and changes what it was given. A driver that keeps the " +
				"slice would show what was never written.",
			needs: queue,
			run:   enterDataIsCopied,
		},
		{
			name: "enter/largest-data",
			reason: "4096 bytes of any JSON must fit, also where the store's own encoding escapes them: " +
				"an instance's description that worked yesterday must not fail by a quotation mark.",
			needs: queue,
			run:   enterLargestData,
		},
	}
}

func enterGrantedAtOnce(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	if p.Session != a.ses.ID() {
		e.Errorf("got the session %q, want %q", p.Session, a.ses.ID())
	}
	if l := e.line(e.dial(), "orders"); len(l.Places) != 1 || !l.Places[0].Granted {
		e.Errorf("another handle shows %+v, want one place that is granted", l.Places)
	}
	if got := a.await(p).granted(); got.ID != p.ID {
		e.Errorf("Wait on a granted place returned %s, want %s", got.ID, p.ID)
	}
}

func enterWaitsBehind(e *env) {
	a, b := e.actor(), e.actor()
	first := a.take(mutex("orders"))
	second := b.enter(mutex("orders"))
	if second.Granted {
		e.Fatal("the second place of a mutex was granted: two holders")
	}
	a.stands("orders", first, second)
	b.await(second).pending()
}

func enterShownToAll(e *env) {
	a, b := e.actor(), e.actor()
	c := mutex("orders")
	c.Data = []byte(`{"host":"a-1","pid":4711}`)
	first := a.take(c)
	want := driver.Place{
		Line: c.Line, ID: c.ID, Session: a.ses.ID(), Owner: a.owner, TTL: a.ses.TTL(),
		Kind: c.Kind, Capacity: c.Capacity, Units: c.Units, Data: c.Data,
		Order: first.Order, Version: first.Version, Granted: true,
	}
	e.same(first, want, "Enter")
	second := b.enter(mutex("orders"))
	for what, drv := range map[string]driver.Driver{"own handle": a.drv, "other handle": b.drv} {
		l := e.stands(drv, "orders", first, second)
		e.same(l.Places[0], first, "Line by the "+what+", head")
		e.same(l.Places[1], second, "Line by the "+what+", second")
	}
}

func enterOwnSessionWaits(e *env) {
	a := e.actor()
	first := a.take(mutex("orders"))
	w := a.queue(mutex("orders"))
	w.pending()
	a.leave(first)
	w.granted()
}

func enterManyLines(e *env) {
	a := e.actor()
	places := make([]driver.Place, 30)
	for i := range places {
		places[i] = a.take(mutex("line-" + strconv.Itoa(i)))
	}
	a.leave(places[7])
	for i, p := range places {
		if i == 7 {
			a.stands(p.Line)
			continue
		}
		a.stands(p.Line, p)
	}
}

func enterDataIsCopied(e *env) {
	a := e.actor()
	c := mutex("orders")
	c.Data = []byte(`{"value":"as entered"}`)
	want := slices.Clone(c.Data)
	p := a.take(c)
	if !bytes.Equal(c.Data, want) {
		e.Errorf("Enter changed the data that it was given to %q", c.Data)
	}
	scribble(c.Data)
	scribble(p.Data)
	for range 2 {
		l := e.line(a.drv, "orders")
		got := e.find(l, p.ID)
		if !sameData(got.Data, want) {
			e.Fatalf("got the data %q, want %q: a slice is shared with the caller", got.Data, want)
		}
		scribble(got.Data)
		l.Places[0] = driver.Place{}
	}
}

func scribble(data []byte) {
	for i := range data {
		data[i] = '#'
	}
}

func enterLargestData(e *env) {
	a := e.actor()
	for name, unit := range map[string]string{
		"plain":     "a",
		"escaped":   `\"`,
		"html":      "<&>",
		"multibyte": "锁",
	} {
		c := mutex("orders/" + name)
		c.Data = jsonOf(unit, driver.MaxData)
		p := a.take(c)
		if got := e.find(a.line(c.Line), p.ID).Data; !sameData(got, c.Data) {
			e.Errorf("%s: %d bytes of data came back as %d other ones", name, len(c.Data), len(got))
		}
	}
}

// jsonOf is a JSON string of exactly size bytes, filled with a unit of text.
func jsonOf(unit string, size int) []byte {
	data := []byte{'"'}
	for len(data)+len(unit) < size {
		data = append(data, unit...)
	}
	for len(data) < size-1 {
		data = append(data, '.')
	}
	return append(data, '"')
}
