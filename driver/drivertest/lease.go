package drivertest

import "time"

// lease is a session that expires, and what its holder may believe about it.
type lease struct {
	*actor
	// sent is when Open and each renewal that succeeded was sent; answered is when the
	// last one was answered.
	sent     []time.Time
	answered time.Time
	// trusted is when the call was sent that the holder counts its trust from.
	trusted time.Time
}

// openLease opens a session that expires unless it is renewed.
func (e *env) openLease() *lease {
	e.Helper()
	sent := time.Now()
	a := e.mortal()
	return &lease{actor: a, sent: []time.Time{sent}, answered: time.Now(), trusted: sent}
}

// tryRenew renews. By the rule that all callers follow, the trust then counts from
// the newest success that was sent at least RenewLag before this one.
func (l *lease) tryRenew() error {
	sent := time.Now()
	if _, err := l.ses.Renew(l.ctx()); err != nil {
		return err
	}
	l.answered = time.Now()
	l.sent = append(l.sent, sent)
	for _, s := range l.sent {
		if sent.Sub(s) >= l.RenewLag {
			l.trusted = s
		}
	}
	return nil
}

// renews renews, which must succeed, and reports whether this process was in time.
func (l *lease) renews() (inTime bool) {
	l.Helper()
	err := l.tryRenew()
	if l.overdue() {
		return false
	}
	l.must(err, "Renew within the TTL")
	return true
}

// overdue reports whether the holder's trust has run out.
func (l *lease) overdue() bool {
	ttl := l.ses.TTL()
	return time.Since(l.trusted) >= ttl-ttl/100
}

// freedAt checks when the store gave away what the lease held.
func (l *lease) freedAt(at time.Time) {
	l.Helper()
	ttl := l.ses.TTL()
	if at.Before(l.trusted.Add(ttl - ttl/100)) {
		l.Errorf("freed %v after the renewal was sent that its holder trusts, want not before the TTL of %v",
			at.Sub(l.trusted), ttl)
	}
	if late := l.deathIn(); at.After(l.answered.Add(late)) {
		l.Errorf("freed %v after the last renewal, want at most %v", at.Sub(l.answered), late)
	}
}

// deathIn is how long after its last renewal, or the end of its process, the places
// of a session may stand.
func (a *actor) deathIn() time.Duration {
	return a.ses.TTL() + a.ExpirySlack + a.RenewLag + a.lag()
}
