package drivertest

import (
	"cmp"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func attachCases() []testCase {
	return []testCase{
		{
			name: "attach/carries-on",
			reason: "A server dies, and the next one carries the session on: whoever stood in a line before " +
				"still stands there, and may ask again for what was not answered.",
			needs: attach,
			run:   attachCarriesOn,
		},
		{
			name:   "attach/outlives-its-opener",
			reason: "The session lives by whoever renews it. With the process that opened it, nothing of it is gone.",
			needs:  all(attach, expires),
			slow:   true,
			run:    attachOutlives,
		},
		{
			name: "attach/lost",
			reason: "A session that has ended never comes back: its client would believe in places that " +
				"others have been granted since.",
			needs: attach,
			run:   attachLost,
		},
		{
			name: "attach/told-of-evictions",
			reason: "An evictor removes the place when its holder must have been told. Whoever renews the " +
				"session hears of it, also of places that it did not enter.",
			needs: all(attach, queue),
			run:   attachEvictions,
		},
		{
			name: "attach/to-and-fro",
			reason: "Behind a load balancer each request may go through another server. A handle that goes by " +
				"what it remembers enters one place twice, or leaves another in its stead.",
			needs: all(attach, shared),
			run:   attachToAndFro,
		},
		{
			name:   "attach/undeclared",
			reason: "Where sessions end with their process nobody may take one for carried on.",
			needs:  not(attach),
			run:    attachUndeclared,
		},
	}
}

// attached is a process that carries on the session of another.
func (a *actor) attached() *actor {
	a.Helper()
	return a.attachedOn(a.dial())
}

func (a *actor) attachedOn(d driver.Driver) *actor {
	a.Helper()
	attacher, ok := d.(driver.Attacher)
	if !ok {
		a.Fatal("the driver declares Attach and does not implement it")
	}
	ses, err := attacher.Attach(a.ctx(), a.ses.ID())
	a.must(err, "Attach to session %s", a.ses.ID())
	if ses.ID() != a.ses.ID() || ses.TTL() != a.ses.TTL() {
		a.Errorf("attached to session %s of %v, want %s of %v", ses.ID(), ses.TTL(), a.ses.ID(), a.ses.TTL())
	}
	return &actor{env: a.env, drv: d, ses: ses, owner: a.owner}
}

func attachCarriesOn(e *env) {
	a, b := e.actor(), e.actor()
	held := b.take(mutex("invoices"))
	claim := mutex("orders")
	p, waits := a.take(claim), driver.Place{}
	places := []driver.Place{p}
	if queue(e.setting) {
		waits = a.enter(mutex("invoices"))
		places = append(places, waits)
	}
	c := a.attached()
	c.has(places...)
	if again := c.take(claim); again.Order != p.Order {
		e.Errorf("entered again: got the order %d, want %d", again.Order, p.Order)
	}
	b.stands("orders", p)
	b.leave(held)
	if queue(e.setting) {
		granted, err := c.ses.Wait(e.ctx(), waits)
		e.must(err, "Wait for a place that another handle entered")
		if !granted.Granted {
			e.Error("the place is at the head, and not granted")
		}
		c.leave(waits)
	}
	c.leave(p)
	b.stands("orders")
	c.leave(c.take(mutex("orders")))
	c.end()
	c.isLost(p)
}

func attachOutlives(e *env) {
	a := e.mortal()
	p := a.take(mutex("orders"))
	c := a.attached()
	a.crash()
	began := time.Now()
	for time.Since(began) < 2*c.ses.TTL() {
		c.renew()
		time.Sleep(c.ses.TTL() / 5)
	}
	b := e.actor()
	b.stands("orders", p)
	c.end()
	b.take(mutex("orders"))
}

func attachLost(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	c := a.attached()
	a.end()
	c.isLost(p)
	for _, id := range []string{a.ses.ID(), "no such session", ""} {
		_, err := b.drv.(driver.Attacher).Attach(e.ctx(), id)
		if !errors.Is(err, driver.ErrSessionLost) && (id == a.ses.ID() || !errors.Is(err, driver.ErrInvalid)) {
			e.Errorf("Attach to the session %q, which is not open: got the error %v, want that it is lost", id, err)
		}
	}
	b.take(mutex("orders"))
}

func attachEvictions(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	c := a.attached()
	b.evict(p, ask("maintenance"))
	for range 2 {
		if marks := c.renew(); len(marks) != 1 || marks[0].PlaceID != p.ID || marks[0].Line != "orders" {
			e.Errorf("Renew through an attached handle told of %+v, want the one eviction", marks)
		}
	}
	c.leave(p)
	if marks := c.renew(); len(marks) != 0 {
		e.Errorf("after the place was left, Renew told of %+v", marks)
	}
}

// turns are two handles on one session that are used in turn.
type turns struct {
	*env
	handles [2]*actor
}

// by makes a call through one of the handles, which attaches again when the other one has
// carried the session on.
func (t *turns) by(i int, what string, call func(driver.Session) error) {
	t.Helper()
	err := call(t.handles[i].ses)
	if errors.Is(err, driver.ErrMoved) {
		t.handles[i] = t.handles[i].attachedOn(t.handles[i].drv)
		err = call(t.handles[i].ses)
	}
	t.must(err, "%s through handle %d of the session", what, i)
}

func (t *turns) enter(i int, c driver.Claim) (p driver.Place) {
	t.Helper()
	t.by(i, "Enter of "+describe(c), func(s driver.Session) (err error) {
		p, err = s.Enter(t.ctx(), c)
		return err
	})
	return p
}

func (t *turns) leave(i int, p driver.Place) {
	t.Helper()
	t.by(i, "Leave", func(s driver.Session) error { return s.Leave(t.ctx(), p.Line, p.ID) })
}

func (t *turns) isGone(i int, p driver.Place) {
	t.Helper()
	t.by(i, "the second Leave", func(s driver.Session) error {
		err := s.Leave(t.ctx(), p.Line, p.ID)
		if errors.Is(err, driver.ErrGone) {
			return nil
		}
		return cmp.Or(err, errNotGone)
	})
}

var errNotGone = errors.New("a place was left twice")

func attachToAndFro(e *env) {
	a, b := e.actor(), e.actor()
	t := &turns{env: e, handles: [2]*actor{a, a.attached()}}
	for i := range e.rounds(20) {
		x, y := i%2, (i+1)%2
		first, claim := t.enter(x, permits("gpu", 4, 1)), permits("gpu", 4, 1)
		p := t.enter(x, claim)
		t.leave(y, first)
		if again := t.enter(y, claim); again.Order != p.Order {
			e.Fatalf("entered again through another handle: got the order %d, want %d", again.Order, p.Order)
		}
		b.stands("gpu", p)
		q := t.enter(x, permits("gpu", 4, 1))
		t.leave(y, q)
		r := t.enter(y, permits("gpu", 4, 1))
		t.isGone(x, q)
		b.stands("gpu", p, r)
		t.leave(x, r)
		t.leave(y, p)
		b.stands("gpu")
	}
}

func attachUndeclared(e *env) {
	a := e.actor()
	attacher, ok := e.dial().(driver.Attacher)
	if !ok {
		return // not to have the method at all is the plainest refusal
	}
	_, err := attacher.Attach(e.ctx(), a.ses.ID())
	e.fails(err, driver.ErrUnsupported, "Attach")
}
