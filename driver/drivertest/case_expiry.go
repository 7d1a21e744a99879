package drivertest

import (
	"strconv"
	"time"
)

func expiryCases() []testCase {
	return []testCase{
		{
			name: "expiry/frees-in-time",
			reason: "A process that died is freed by the store, and not much later than its TTL (S44). But " +
				"never earlier: until then it may still run, and believe (S01).",
			needs: expires, slow: true,
			run: expiryFreesInTime,
		},
		{
			name: "expiry/not-renewed",
			reason: "A session that its process forgot to renew ends like one whose process died, though " +
				"the connection is alive. Nothing that is called later brings it back (S02, S10).",
			needs: expires, slow: true,
			run: expiryNotRenewed,
		},
		{
			name:   "expiry/renewed-stays",
			reason: "A holder that renews holds for as long as it likes (S12, S53).",
			needs:  expires, slow: true,
			run: expiryRenewedStays,
		},
		{
			name: "expiry/none-by-time",
			reason: "Where a session lives as long as its process, no time ends it, but the end of the " +
				"process does, at once.",
			needs: not(expires), slow: true,
			run: expiryNoneByTime,
		},
	}
}

// maxTries is how often a case is tried in which this process must renew in time: a
// busy machine may stop it for longer than a TTL.
const maxTries = 3

// inTime tries until this process was in time, so that what it saw counts. Each try
// has a line of its own.
func (e *env) inTime(try func(line string) bool) {
	e.Helper()
	for n := range maxTries {
		if try("orders-" + strconv.Itoa(n)) {
			return
		}
	}
	e.Fatalf("this machine is too busy: in %d tries a renewal was later than the TTL", maxTries)
}

func expiryFreesInTime(e *env) {
	e.inTime(func(line string) bool {
		h := e.openLease()
		p := h.take(mutex(line))
		// The same program starts anew: its old place stands, and it waits behind it.
		b := e.open(e.dial(), h.owner, e.longTTL())
		w := b.queue(mutex(line))
		for range 2 {
			time.Sleep(max(h.ses.TTL()/2, h.RenewLag))
			if !h.renews() {
				return false
			}
		}
		h.crash()
		w.pending()
		if h.overdue() {
			return false
		}
		b.busy(mutex(line))
		got := w.grantedWithin(h.deathIn() + patience)
		h.freedAt(w.at)
		if e.Tokens && got.Order <= p.Order {
			e.Errorf("got the order %d after the dead holder's %d", got.Order, p.Order)
		}
		b.stands(line, got)
		return true
	})
}

func expiryNotRenewed(e *env) {
	e.inTime(func(line string) bool {
		h, b := e.openLease(), e.actor()
		p := h.take(mutex(line))
		if !h.renews() {
			return false
		}
		w := b.queue(mutex(line))
		next := w.grantedWithin(h.deathIn() + patience)
		h.freedAt(w.at)
		b.stands(line, next)
		h.isLost(p)
		b.stands(line, next)
		b.leave(next)
		h.isLost(p)
		b.stands(line)
		return true
	})
}

func expiryRenewedStays(e *env) {
	e.inTime(func(line string) bool {
		h, b := e.openLease(), e.actor()
		p := h.take(mutex(line))
		w := b.queue(mutex(line))
		for range 20 { // five times the TTL
			time.Sleep(h.ses.TTL() / 4)
			if !h.renews() {
				return false
			}
		}
		w.pending()
		if got := b.line(line); got.Find(p.ID) != 0 {
			e.Errorf("the renewed holder is not the head of %+v", got.Places)
		}
		h.leave(p)
		w.granted()
		return true
	})
}

func expiryNoneByTime(e *env) {
	h, b := e.mortal(), e.actor()
	p := h.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	time.Sleep(3 * e.ttl)
	w.pending()
	if l := b.line("orders"); l.Find(p.ID) < 0 {
		e.Error("a session that does not expire was freed by time")
	}
	h.renew()
	died := time.Now()
	h.crash()
	got := w.grantedWithin(e.lag() + patience)
	if late := w.at.Sub(died); late > e.lag() {
		e.Errorf("freed %v after the end of the process, want at most %v", late, e.lag())
	}
	b.stands("orders", got)
}
