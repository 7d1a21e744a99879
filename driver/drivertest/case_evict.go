package drivertest

import (
	"strings"

	"github.com/holdgate/holdgate/driver"
)

func evictCases() []testCase {
	return []testCase{
		{
			name: "evict/waiter",
			reason: "A waiter that is evicted is gone from the line at once, and its process is told. It must " +
				"not be granted later, nor wait for ever.",
			needs: queue,
			run:   evictWaiter,
		},
		{
			name: "evict/holder-is-marked",
			reason: "A holder is asked, not robbed: its place stands, its next renewal tells it who wants it " +
				"to go and why, and everybody can see that it was asked.",
			needs: queue,
			run:   evictHolder,
		},
		{
			name: "evict/told-every-time",
			reason: "The answer of a renewal may be lost. So each one tells of all marks, until the places " +
				"are gone.",
			needs: queue,
			run:   evictToldEveryTime,
		},
		{
			name:   "evict/second-mark",
			reason: "Two operators ask the same holder. The second changes nothing, and is no error.",
			needs:  queue,
			run:    evictSecondMark,
		},
		{
			name: "evict/beside-a-grant",
			reason: "The waiter may be granted in the very moment of its eviction. Then it is marked; if it " +
				"were removed, somebody would hold a place that does not stand.",
			needs: queue,
			run:   evictBesideGrant,
		},
		{
			name:   "evict/gone",
			reason: "Who is not there cannot be evicted, and the operator should learn that.",
			run:    evictGone,
		},
		{
			name:   "evict/bad-input",
			reason: "A reason is shown to people: what cannot be shown is refused, and nothing is marked.",
			run:    evictBadInput,
		},
		{
			name: "evict/refused",
			reason: "One key has no room for a mark. To answer success would let an operator wait for " +
				"somebody who was never told.",
			needs: single,
			run:   evictRefused,
		},
	}
}

func ask(reason string) driver.Eviction { return driver.Eviction{Reason: reason, By: "ops"} }

func evictWaiter(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w, behind := b.queue(mutex("orders")), c.queue(mutex("orders"))
	behind.pending()
	c.evict(w.place, ask("not now"))
	w.fails(driver.ErrGone)
	a.stands("orders", holder, behind.place)
	if marks := b.renew(); len(marks) != 0 {
		e.Errorf("Renew told %+v of a waiter that is gone, want nothing", marks)
	}
	behind.pending()
	a.leave(holder)
	behind.granted()
}

func evictHolder(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	if marks := a.renew(); len(marks) != 0 {
		e.Errorf("Renew told %+v before anything was evicted", marks)
	}
	p := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	c.evict(p, ask("maintenance"))
	w.pending()
	l := b.stands("orders", p, w.place)
	if got := l.Places[0]; !got.Granted || got.Order != p.Order || got.Eviction == nil {
		e.Fatalf("Line shows the evicted holder as %+v, want it granted and marked", got)
	}
	e.isMark(*l.Places[0].Eviction, p, "maintenance")
	if l.Places[1].Eviction != nil {
		e.Error("Line shows the mark on the waiter behind as well")
	}
	marks := a.renew()
	if len(marks) != 1 {
		e.Fatalf("Renew told %d evictions, want 1", len(marks))
	}
	e.isMark(marks[0], p, "maintenance")
	a.leave(p)
	w.granted()
}

// isMark checks what is told of an eviction.
func (e *env) isMark(got driver.Eviction, p driver.Place, reason string) {
	e.Helper()
	want := driver.Eviction{Line: p.Line, PlaceID: p.ID, Reason: reason, By: "ops"}
	if got != want {
		e.Errorf("got the eviction %+v, want %+v", got, want)
	}
}

func evictToldEveryTime(e *env) {
	a, b := e.actor(), e.actor()
	places := []driver.Place{a.take(mutex("orders")), a.take(mutex("invoices")), a.take(mutex("stock"))}
	for _, p := range places[:2] {
		b.evict(p, ask("move "+p.Line))
	}
	told := func() map[string]driver.Eviction {
		byPlace := make(map[string]driver.Eviction)
		for _, mark := range a.renew() {
			byPlace[mark.PlaceID] = mark
		}
		return byPlace
	}
	for range 3 {
		marks := told()
		if len(marks) != 2 {
			e.Fatalf("Renew told %d evictions, want 2: %+v", len(marks), marks)
		}
		for _, p := range places[:2] {
			e.isMark(marks[p.ID], p, "move "+p.Line)
		}
	}
	a.leave(places[0])
	if marks := told(); len(marks) != 1 || marks[places[1].ID].Line != "invoices" {
		e.Errorf("after one of two has left, Renew told %+v", marks)
	}
	if marks := b.renew(); len(marks) != 0 {
		e.Errorf("Renew told another session of %+v", marks)
	}
}

func evictSecondMark(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	p := a.take(mutex("orders"))
	b.evict(p, ask("first"))
	c.evict(p, driver.Eviction{Reason: "second", By: "somebody else"})
	marks := a.renew()
	if len(marks) != 1 {
		e.Fatalf("Renew told %d evictions of a place that was marked twice, want 1", len(marks))
	}
	e.isMark(marks[0], p, "first")
	if mark := e.find(c.line("orders"), p.ID).Eviction; mark == nil || mark.Reason != "first" {
		e.Errorf("Line shows the mark %+v, want the first", mark)
	}
}

func evictBesideGrant(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	for range e.rounds(100) {
		holder := a.take(mutex("orders"))
		w := b.queue(mutex("orders"))
		e.both(
			func() error { return a.ses.Leave(e.ctx(), holder.Line, holder.ID) },
			func() error { return c.drv.Evict(e.ctx(), "orders", w.place.ID, ask("not now")) },
		)
		w.await(patience)
		if w.err != nil {
			w.fails(driver.ErrGone)
			c.stands("orders")
			continue
		}
		if l := c.stands("orders", w.granted()); l.Places[0].Eviction == nil {
			e.Fatal("the waiter was granted, and the eviction that succeeded is nowhere")
		}
		if marks := b.renew(); len(marks) != 1 {
			e.Fatalf("Renew told %d evictions, want 1", len(marks))
		}
		w.leave()
	}
}

func evictGone(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.leave(p)
	for _, force := range []bool{false, true} {
		ev := ask("not now")
		ev.Force = force
		e.fails(b.drv.Evict(e.ctx(), "orders", p.ID, ev), driver.ErrGone, "Evict of a place that was left")
		e.fails(b.drv.Evict(e.ctx(), "nobody-was-here", newID(), ev), driver.ErrGone, "Evict in an empty line")
	}
	next := b.take(mutex("orders"))
	e.fails(b.drv.Evict(e.ctx(), "orders", p.ID, driver.Eviction{Force: true}), driver.ErrGone,
		"forced Evict of a place that was left, when somebody else holds")
	b.stands("orders", next)
}

func evictBadInput(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	for _, bad := range []struct {
		what string
		ev   driver.Eviction
		kind error
	}{
		{"a reason of 1025 bytes", ask(strings.Repeat("x", driver.MaxReason+1)), driver.ErrTooLarge},
		{"a reason with NUL", ask("a\x00b"), driver.ErrInvalid},
		{"a reason that is not UTF-8", ask("\xff"), driver.ErrInvalid},
		{"a name of 257 bytes", driver.Eviction{By: strings.Repeat("x", driver.MaxOwner+1)}, driver.ErrTooLarge},
	} {
		for _, force := range []bool{false, true} {
			bad.ev.Force = force
			e.fails(b.drv.Evict(e.ctx(), p.Line, p.ID, bad.ev), bad.kind, "Evict with %s", bad.what)
		}
	}
	if got := b.stands("orders", p).Places[0]; got.Eviction != nil {
		e.Errorf("a refused eviction left the mark %+v", got.Eviction)
	}
}

func evictRefused(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	e.fails(b.drv.Evict(e.ctx(), p.Line, p.ID, ask("maintenance")), driver.ErrUnsupported, "Evict on a single key")
	b.stands("orders", p)
	b.busy(mutex("orders"))
}
