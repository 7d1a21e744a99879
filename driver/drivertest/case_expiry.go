package drivertest

import "time"

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

func expiryFreesInTime(e *env) {
	h := e.openLease()
	p := h.take(mutex("orders"))
	// The same program starts anew: its old place stands, and it waits behind it.
	b := e.open(e.dial(), h.owner, e.longTTL())
	w := b.queue(mutex("orders"))
	for range 2 {
		time.Sleep(max(h.ses.TTL()/2, h.RenewLag))
		h.renew()
	}
	h.crash()
	b.busy(mutex("orders"))
	w.pending()
	got := w.grantedWithin(h.deathIn() + patience)
	h.freedAt(w.at)
	if e.Tokens && got.Order <= p.Order {
		e.Errorf("got the order %d after the dead holder's %d", got.Order, p.Order)
	}
	b.stands("orders", got)
}

func expiryNotRenewed(e *env) {
	h := e.openLease()
	p := h.take(mutex("orders"))
	h.renew()
	b := e.actor()
	w := b.queue(mutex("orders"))
	next := w.grantedWithin(h.deathIn() + patience)
	h.freedAt(w.at)
	b.stands("orders", next)
	h.isLost(p)
	b.stands("orders", next)
	b.leave(next)
	h.isLost(p)
	b.stands("orders")
}

// maxTries is how often a case is tried in which this process must renew in time: a
// busy machine may stop it for longer than a TTL.
const maxTries = 3

func expiryRenewedStays(e *env) {
	for range maxTries {
		if e.renewedStays() {
			return
		}
	}
	e.Fatalf("this machine is too busy: in %d tries a renewal was later than the TTL", maxTries)
}

// renewedStays reports whether the renewals were in time, so that the try counts.
func (e *env) renewedStays() (inTime bool) {
	h, b := e.openLease(), e.actor()
	p := h.take(mutex("orders"))
	w := b.queue(mutex("orders"))
	for range 20 { // five times the TTL
		time.Sleep(h.ses.TTL() / 4)
		err := h.tryRenew()
		if h.overdue() {
			w.cancel(nil)
			b.end()
			h.crash()
			return false
		}
		e.must(err, "Renew within the TTL")
	}
	w.pending()
	if got := b.line("orders"); got.Find(p.ID) != 0 {
		e.Errorf("the renewed holder is not the head of %+v", got.Places)
	}
	h.leave(p)
	w.granted()
	return true
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
