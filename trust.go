package holdgate

import (
	"math"
	"time"
)

// forever is the deadline of a session that does not expire by time.
const forever = time.Duration(math.MaxInt64)

// trust works out until when a session may be believed, from when its renewals
// were *sent* (I3). It reads no clock and is not safe for concurrent use.
//
// The store starts its clock for the session when a renewal reaches it, so at the
// earliest when it was sent; 1 % is taken off for clocks that run at different
// rates. Where the store's clock starts later than the answer (lag), the answer to
// one renewal proves only that those answered a lag before it have taken effect.
type trust struct {
	ttl, lag time.Duration
	// proven is when the renewal was sent from which the deadline counts.
	proven time.Duration
	// pending are the renewals that succeeded after proven, oldest first.
	pending []renewal
}

// renewal is one that succeeded.
type renewal struct{ sent, answered time.Duration }

// newTrust begins with an Open that was sent at this time. An Open has no lag: a
// session that the store created counts from its creation.
func newTrust(ttl, lag, sent time.Duration) trust {
	return trust{ttl: ttl, lag: lag, proven: sent}
}

// renewed notes a renewal that succeeded. It shows that the session was alive when it
// reached the store, and so that those have taken effect that were answered a lag
// before it was sent. That they had been sent by then is not enough: one that was
// long under way may have taken effect after the session's end, which is no effect.
func (t *trust) renewed(sent, answered time.Duration) {
	if t.lag == 0 {
		t.proven = max(t.proven, sent)
		return
	}
	t.pending = append(t.pending, renewal{sent, answered})
	effective := 0
	for effective < len(t.pending) && t.pending[effective].answered <= sent-t.lag {
		t.proven = max(t.proven, t.pending[effective].sent)
		effective++
	}
	t.pending = append(t.pending[:0], t.pending[effective:]...)
}

// deadline is when the store may free the places of the session.
func (t *trust) deadline() time.Duration {
	if t.ttl == 0 {
		return forever
	}
	return t.proven + t.ttl - t.ttl/100
}

// tellBy is when holders are told: early enough that they can stop.
func (t *trust) tellBy() time.Duration {
	if t.ttl == 0 {
		return forever
	}
	return t.deadline() - guard(t.ttl)
}

// guard is how long before the deadline holders are told.
func guard(ttl time.Duration) time.Duration { return max(100*time.Millisecond, ttl/20) }

// renewEvery is how often a session is renewed: often enough that one renewal may
// fail, two with a lag.
func renewEvery(ttl, lag time.Duration) time.Duration {
	if lag > 0 {
		return ttl / 6
	}
	return ttl / 4
}
