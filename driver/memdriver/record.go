package memdriver

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// record is a session as the store keeps it.
type record struct {
	id    string
	owner string
	ttl   time.Duration
	lag   time.Duration
	lost  bool // for good

	nudges chan struct{} // nil: it hears only what it asks for

	life     deadline
	renewals []renewal // answered, but not in force yet; only with a lag
	newest   *place    // the list of its places
	flights  []*flight
}

// renewal is a Renew that was answered and that the store will know of later.
type renewal struct {
	from    time.Duration
	expires time.Duration
}

// open starts a session.
func (st *state) open(opts driver.SessionOptions, lag time.Duration, nudge bool) *record {
	st.opened++
	r := &record{
		id:    "m" + strconv.FormatUint(st.opened, 10),
		owner: opts.Owner,
		ttl:   opts.TTL,
		lag:   lag,
	}
	if nudge {
		r.nudges = make(chan struct{}, 1)
	}
	r.life = deadline{at: later(st.now, r.ttl), end: func() { st.expire(r) }}
	st.deadlines.add(&r.life)
	st.sessions[r.id] = r
	return r
}

// renew starts the session's time anew.
func (st *state) renew(r *record) ([]driver.Eviction, error) {
	if r.lost {
		return nil, r.lostError()
	}
	expires := later(st.now, r.ttl)
	if r.lag == 0 {
		st.deadlines.move(&r.life, expires)
	} else {
		r.renewals = append(r.renewals, renewal{from: later(st.now, r.lag), expires: expires})
		r.catchUp(st.now)
		st.deadlines.move(&r.life, r.life.at)
	}
	return r.marks(), nil
}

// expire is called when the session's time has come, as far as is known: renewals
// that came into force before that moment move it.
func (st *state) expire(r *record) {
	if r.catchUp(st.now); r.life.at > st.now {
		st.deadlines.move(&r.life, r.life.at)
		return
	}
	st.end(r)
}

// catchUp applies the renewals that are in force by now. One that would come into
// force only after the session's time is too late for it.
func (r *record) catchUp(now time.Duration) {
	for len(r.renewals) > 0 {
		next := r.renewals[0]
		if next.from > now || next.from >= r.life.at {
			return
		}
		r.life.at = max(r.life.at, next.expires)
		r.renewals = r.renewals[1:]
	}
}

// end removes the session and all its places, in one step.
func (st *state) end(r *record) {
	if r.lost {
		return
	}
	r.lost = true
	st.deadlines.remove(&r.life)
	delete(st.sessions, r.id)
	for r.newest != nil {
		st.remove(r.newest)
	}
	r.renewals, r.flights = nil, nil
	r.nudge()
}

// nudge tells the session that there is something to hear.
func (r *record) nudge() {
	select {
	case r.nudges <- struct{}{}:
	default: // it was told, or cannot be
	}
}

// present returns the places of the session.
func (r *record) present() ([]driver.Place, error) {
	if r.lost {
		return nil, r.lostError()
	}
	var places []driver.Place
	for p := r.newest; p != nil; p = p.older {
		places = append(places, p.view())
	}
	return places, nil
}

// marks returns the evictions marked on the session's places.
func (r *record) marks() []driver.Eviction {
	var marks []driver.Eviction
	for p := r.newest; p != nil; p = p.older {
		if p.Eviction != nil {
			marks = append(marks, *p.Eviction)
		}
	}
	return marks
}

func (r *record) lostError() error {
	return fmt.Errorf("%w: %s", driver.ErrSessionLost, r.id)
}

// adopt adds a place to the session's list.
func (r *record) adopt(p *place) {
	p.older = r.newest
	if r.newest != nil {
		r.newest.newer = p
	}
	r.newest = p
}

// forget takes a place from the session's list.
func (r *record) forget(p *place) {
	if p.newer == nil {
		r.newest = p.older
	} else {
		p.newer.older = p.older
	}
	if p.older != nil {
		p.older.newer = p.newer
	}
	p.older, p.newer = nil, nil
}

// later adds, and stays at the end of time instead of passing it.
func later(now, d time.Duration) time.Duration {
	if d > math.MaxInt64-now {
		return math.MaxInt64
	}
	return now + d
}
