package drivertest

import (
	"slices"

	"github.com/holdgate/holdgate/driver"
)

func updateCases() []testCase {
	return []testCase{
		{
			name:   "update/writes-data",
			reason: "What a holder says about itself changes while it holds; everybody must see the latest.",
			needs:  queue,
			run:    updateWritesData,
		},
		{
			name: "update/keeps-position-and-order",
			reason: "A waiter that changes its data keeps its turn, and a holder its token: the resource would " +
				"refuse a holder whose order had changed.",
			needs: queue,
			run:   updateKeepsPosition,
		},
		{
			name: "update/old-version",
			reason: "A slow update must not overwrite a newer one: it is refused by its version, and changes " +
				"nothing.",
			needs: queue,
			run:   updateOldVersion,
		},
		{
			name:   "update/at-once",
			reason: "Of updates of one version at the same moment one takes effect, and the others are told.",
			needs:  queue,
			run:    updateAtOnce,
		},
		{
			name: "update/never-creates",
			reason: "A late update, such as the lazy note since when a lock is held, arrives after the " +
				"release. If it created the place anew, the line would be blocked by nobody.",
			needs: queue,
			run:   updateNeverCreates,
		},
		{
			name: "update/keeps-the-mark",
			reason: "The holder writes its data before it has heard that it shall go. That must not erase " +
				"the request.",
			needs: queue,
			run:   updateKeepsTheMark,
		},
		{
			name:   "update/refused",
			reason: "One key has no room for data, nor for units: that must be said, not dropped.",
			needs:  single,
			run:    updateRefused,
		},
	}
}

func updateWritesData(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	p.Data = []byte(`{"since":"12:00"}`)
	want := slices.Clone(p.Data)
	after := a.update(p)
	if after.Version == p.Version {
		e.Errorf("the version is %d before and after", p.Version)
	}
	if !after.Granted || after.Order != p.Order || !sameData(after.Data, want) {
		e.Errorf("Update returned %+v, want the place with its new data", after)
	}
	scribble(p.Data)
	e.same(e.find(b.line("orders"), p.ID), a.withData(after, want), "Line after Update")
	after.Data = nil
	again := a.update(after)
	if got := e.find(b.line("orders"), p.ID); len(got.Data) != 0 || got.Version != again.Version {
		e.Errorf("after the data was removed: got %q of version %d, want none of version %d",
			got.Data, got.Version, again.Version)
	}
}

func (a *actor) withData(p driver.Place, data []byte) driver.Place {
	p.Data = data
	return p
}

func updateKeepsPosition(e *env) {
	a, b, c := e.actor(), e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	last := c.queue(mutex("orders"))
	middle := w.place
	middle.Data = []byte(`"still here"`)
	after := b.update(middle)
	if after.Granted || after.Order != middle.Order {
		e.Errorf("a waiter's update: granted %v with the order %d, want waiting with the order %d",
			after.Granted, after.Order, middle.Order)
	}
	a.stands("orders", holder, middle, last.place)
	w.pending()
	a.leave(holder)
	w.granted()
	last.pending()
}

func updateOldVersion(e *env) {
	a := e.actor()
	old := a.take(mutex("orders"))
	newer := old
	newer.Data = []byte(`"newer"`)
	newer = a.update(newer)
	old.Data = []byte(`"older"`)
	_, err := a.ses.Update(e.ctx(), old)
	e.fails(err, driver.ErrConflict, "Update of a version that is over")
	e.same(e.find(a.line("orders"), old.ID), newer, "Line after a refused Update")
}

func updateAtOnce(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	for range e.rounds(50) {
		calls := make([]func() error, 4)
		for i := range calls {
			calls[i] = func() error {
				_, err := a.ses.Update(e.ctx(), a.withData(p, []byte{'0' + byte(i)}))
				return err
			}
		}
		won := -1
		for i, err := range e.together(calls...) {
			switch {
			case err != nil:
				e.fails(err, driver.ErrConflict, "Update beside others of the same version")
			case won >= 0:
				e.Fatal("two updates of one version took effect")
			default:
				won = i
			}
		}
		if won < 0 {
			e.Fatal("none of the updates took effect")
		}
		p = e.find(a.line("orders"), p.ID)
		if want := []byte{'0' + byte(won)}; !sameData(p.Data, want) {
			e.Fatalf("got the data %q, want that of the update that succeeded, %q", p.Data, want)
		}
	}
}

func updateNeverCreates(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.leave(p)
	_, err := a.ses.Update(e.ctx(), p)
	e.fails(err, driver.ErrGone, "Update after Leave")
	a.stands("orders")
	next := b.take(mutex("orders"))
	_, err = a.ses.Update(e.ctx(), p)
	e.fails(err, driver.ErrGone, "Update after Leave, when somebody else holds")
	e.same(b.stands("orders", next).Places[0], next, "the next holder")
}

func updateKeepsTheMark(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	b.evict(p, driver.Eviction{Reason: "maintenance", By: "ops"})
	marked := e.find(a.line("orders"), p.ID)
	marked.Eviction = nil
	marked.Data = []byte(`"busy"`)
	after := a.update(marked)
	if after.Eviction == nil {
		e.Error("Update returned the place without its mark")
	}
	got := e.find(b.line("orders"), p.ID)
	if got.Eviction == nil || got.Eviction.Reason != "maintenance" {
		e.Errorf("Line after Update: got the mark %+v, want the one for maintenance", got.Eviction)
	}
	if marks := a.renew(); len(marks) != 1 {
		e.Errorf("Renew after Update told %d evictions, want 1", len(marks))
	}
}

func updateRefused(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	p.Data = []byte(`"new"`)
	_, err := a.ses.Update(e.ctx(), p)
	e.fails(err, driver.ErrUnsupported, "Update on a single key")
	if got := a.line("orders"); len(got.Places) != 1 {
		e.Errorf("after a refused Update %d places stand, want 1", len(got.Places))
	}
}
