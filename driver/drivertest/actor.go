package drivertest

import (
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// actor is one process: a handle of its own, and one session on it. Its methods
// make a call that must succeed, and end the case when it does not.
type actor struct {
	*env
	drv   driver.Driver
	ses   driver.Session
	owner string
}

// actor starts a process whose session outlasts the case.
func (e *env) actor() *actor {
	e.Helper()
	return e.open(e.dial(), "steady", e.longTTL())
}

// mortal starts a process whose session expires soon, unless it is renewed.
func (e *env) mortal() *actor {
	e.Helper()
	return e.open(e.dial(), "mortal", e.ttl)
}

// session starts one more session on the actor's own handle.
func (a *actor) session() *actor {
	a.Helper()
	return a.open(a.drv, a.owner, a.longTTL())
}

func (e *env) open(d driver.Driver, owner string, ttl time.Duration) *actor {
	e.Helper()
	ses, err := d.Open(e.ctx(), driver.SessionOptions{TTL: ttl, Owner: owner})
	e.must(err, "Open with a TTL of %v", ttl)
	return &actor{env: e, drv: d, ses: ses, owner: owner}
}

// crash ends the process as a kill does: its handle is gone, nothing was given back.
func (a *actor) crash() {
	a.Helper()
	a.must(a.drv.Close(), "Driver.Close")
}

// end gives the session back.
func (a *actor) end() {
	a.Helper()
	a.must(a.ses.Close(a.ctx()), "Session.Close")
}

// enter puts a place into a line.
func (a *actor) enter(c driver.Claim) driver.Place {
	a.Helper()
	p, err := a.ses.Enter(a.ctx(), c)
	a.must(err, "Enter of %s", describe(c))
	if p.Line != c.Line || p.ID != c.ID {
		a.Fatalf("Enter of %s returned the place %q in %q", describe(c), p.ID, p.Line)
	}
	return p
}

// take enters a place that must be granted at once.
func (a *actor) take(c driver.Claim) driver.Place {
	a.Helper()
	p := a.enter(c)
	if !p.Granted {
		a.Fatalf("Enter of %s: not granted, though it fits", describe(c))
	}
	return p
}

// refused makes an Enter that must answer an error of this kind.
func (a *actor) refused(c driver.Claim, kind error) {
	a.Helper()
	_, err := a.ses.Enter(a.ctx(), c)
	a.fails(err, kind, "Enter of %s", describe(c))
}

// busy makes a try that must not succeed.
func (a *actor) busy(c driver.Claim) *driver.BusyError {
	a.Helper()
	_, err := a.ses.Enter(a.ctx(), try(c))
	a.fails(err, driver.ErrBusy, "try of %s", describe(c))
	var busy *driver.BusyError
	if !errors.As(err, &busy) {
		a.Fatalf("try of %s: the error %v is no *BusyError", describe(c), err)
	}
	return busy
}

func (a *actor) leave(p driver.Place) {
	a.Helper()
	a.must(a.ses.Leave(a.ctx(), p.Line, p.ID), "Leave of %s in %q", p.ID, p.Line)
}

func (a *actor) update(p driver.Place) driver.Place {
	a.Helper()
	after, err := a.ses.Update(a.ctx(), p)
	a.must(err, "Update of %s in %q", p.ID, p.Line)
	return after
}

func (a *actor) swap(p driver.Place, c driver.Claim) driver.Place {
	a.Helper()
	after, err := a.ses.Swap(a.ctx(), p, c)
	a.must(err, "Swap of %s for %s", p.ID, describe(c))
	return after
}

func (a *actor) renew() []driver.Eviction {
	a.Helper()
	marks, err := a.ses.Renew(a.ctx())
	a.must(err, "Renew")
	return marks
}

func (a *actor) present() []driver.Place {
	a.Helper()
	places, err := a.ses.Present(a.ctx())
	a.must(err, "Present")
	return places
}

// evict asks for a place to go.
func (a *actor) evict(p driver.Place, ev driver.Eviction) {
	a.Helper()
	a.must(a.drv.Evict(a.ctx(), p.Line, p.ID, ev), "Evict of %s in %q", p.ID, p.Line)
}

func describe(c driver.Claim) string {
	return fmt.Sprintf("%d of %d as %s in %.40q", c.Units, c.Capacity, c.Kind, c.Line)
}
