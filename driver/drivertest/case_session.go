package drivertest

import (
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func sessionCases() []testCase {
	return []testCase{
		{
			name:   "session/close-frees-at-once",
			reason: "A program that ends cleanly gives everything back at once: nobody waits for a TTL.",
			run:    sessionCloseFrees,
		},
		{
			name: "session/lost-for-good",
			reason: "A session that has ended never comes back, whatever is called: a place that was given " +
				"to somebody else must not be believed in again.",
			run: sessionLostForGood,
		},
		{
			name: "session/close-ends-its-waits",
			reason: "A waiter whose session has ended is told so. It is never granted, and never left hanging " +
				"(S06).",
			needs: queue,
			run:   sessionCloseEndsWaits,
		},
		{
			name:   "session/middle-closes",
			reason: "A process in the middle of the line ends: the order behind it stays, nobody gets stuck (S30).",
			needs:  queue,
			run:    sessionMiddleCloses,
		},
		{
			name:   "session/independent",
			reason: "Sessions share a handle and nothing else: the end of one does not touch another's places.",
			run:    sessionIndependent,
		},
		{
			name:   "session/owner-decides-nothing",
			reason: "Programs on a hundred machines have the same owner text. There is one holder (S03).",
			run:    sessionOwnerDecidesNothing,
		},
		{
			name:   "session/ttl-as-granted",
			reason: "The caller counts its trust from the TTL that the store granted: less than asked would be a surprise.",
			run:    sessionTTL,
		},
		{
			name:   "session/bad-options",
			reason: "A TTL that the store cannot keep, or an owner that nobody can read, is refused at the door.",
			run:    sessionBadOptions,
		},
	}
}

func sessionCloseFrees(e *env) {
	a, b := e.actor(), e.actor()
	const lines = 10
	waiters := make([]*waiting, lines)
	for i := range waiters {
		name := "line-" + strconv.Itoa(i)
		a.take(mutex(name))
		waiters[i] = b.queue(mutex(name))
		waiters[i].pending()
	}
	a.end()
	for i, w := range waiters {
		b.stands("line-"+strconv.Itoa(i), w.granted())
	}
	a.end() // closing again is not an error
}

func sessionLostForGood(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.end()
	next := b.take(mutex("orders"))
	a.isLost(p)
	a.isLost(p)
	b.stands("orders", next)
}

func sessionCloseEndsWaits(e *env) {
	a, b := e.actor(), e.actor()
	holder := a.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	w.pending()
	b.end()
	w.fails(driver.ErrSessionLost)
	a.stands("orders", holder)
	a.leave(holder)
	a.stands("orders")
	a.take(mutex("orders"))
}

func sessionMiddleCloses(e *env) {
	actors := e.actors(4)
	holder := actors[0].take(mutex("orders"))
	waiters := e.lineUp(actors[1:], 3)
	waiters[2].pending()
	actors[2].end()
	waiters[1].fails(driver.ErrSessionLost)
	waiters[0].pending()
	waiters[2].pending()
	actors[0].leave(holder)
	serve([]*waiting{waiters[0], waiters[2]})
}

func sessionIndependent(e *env) {
	a := e.actor()
	b := a.session()
	if a.ses.ID() == b.ses.ID() {
		e.Fatalf("two sessions have the ID %q", a.ses.ID())
	}
	p, q := a.take(mutex("orders")), b.take(mutex("invoices"))
	a.end()
	b.stands("orders")
	b.stands("invoices", q)
	b.renew()
	b.take(mutex("orders"))
	e.fails(a.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrSessionLost, "Leave on the session that has ended")
}

func sessionOwnerDecidesNothing(e *env) {
	first := e.open(e.dial(), "same", e.longTTL())
	second := e.open(e.dial(), "same", e.longTTL())
	p := first.take(mutex("orders"))
	second.busy(mutex("orders"))
	e.fails(second.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrGone, "Leave by another session of the same owner")
	first.stands("orders", p)
}

func sessionTTL(e *env) {
	for _, ask := range []time.Duration{e.ttl, e.longTTL()} {
		if got := e.open(e.dial(), "steady", ask).ses.TTL(); e.expires && got < ask || !e.expires && got != 0 {
			e.Errorf("asked for a TTL of %v, got %v; sessions expire: %v", ask, got, e.expires)
		}
	}
}

func sessionBadOptions(e *env) {
	d := e.dial()
	refused := func(kind error, opts driver.SessionOptions, what string) {
		e.Helper()
		_, err := d.Open(e.ctx(), opts)
		e.fails(err, kind, "Open with %s", what)
	}
	long := make([]byte, driver.MaxOwner+1)
	for i := range long {
		long[i] = 'x'
	}
	ttl := e.longTTL()
	refused(driver.ErrInvalid, driver.SessionOptions{TTL: -time.Second}, "a negative TTL")
	refused(driver.ErrTooLarge, driver.SessionOptions{TTL: ttl, Owner: string(long)}, "an owner of 257 bytes")
	refused(driver.ErrInvalid, driver.SessionOptions{TTL: ttl, Owner: "a\x00b"}, "an owner with NUL")
	refused(driver.ErrInvalid, driver.SessionOptions{TTL: ttl, Owner: "\xff"}, "an owner that is not UTF-8")
	if e.MinTTL > 0 {
		refused(driver.ErrInvalid, driver.SessionOptions{TTL: e.MinTTL - 1}, "less than MinTTL")
	}
	if e.MaxTTL > 0 {
		refused(driver.ErrInvalid, driver.SessionOptions{TTL: e.MaxTTL + 1}, "more than MaxTTL")
	}
	longest := string(long[:driver.MaxOwner])
	a := e.open(d, longest, ttl)
	if e.Layout == driver.LayoutQueue {
		if got := a.take(mutex("orders")).Owner; got != longest {
			e.Errorf("got an owner of %d bytes, want the %d that were given", len(got), len(longest))
		}
	}
}
