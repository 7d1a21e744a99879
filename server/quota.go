package server

import (
	"errors"
	"fmt"
	"sync"
)

// errLimit: the caller has as much as it may have of this server.
var errLimit = errors.New("too much")

// quota is what callers may have a bounded number of.
type quota string

const (
	quotaSessions  quota = "sessions"
	quotaPlaces    quota = "places"
	quotaListeners quota = "streams"
)

// quotas counts what each caller has.
type quotas struct {
	mu  sync.Mutex
	has map[quotaKey]int
}

type quotaKey struct {
	caller string
	what   quota
}

func (q *quotas) init() { q.has = make(map[quotaKey]int) }

// take counts one more, unless the caller has as many as it may.
func (q *quotas) take(caller string, what quota, limit int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := quotaKey{caller, what}
	if q.has[k] >= limit {
		return fmt.Errorf("%w: this server lets one caller have %d %s", errLimit, limit, what)
	}
	q.has[k]++
	return nil
}

// give counts n less.
func (q *quotas) give(caller string, what quota, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := quotaKey{caller, what}
	if q.has[k] -= n; q.has[k] <= 0 {
		delete(q.has, k)
	}
}

// total is how many there are, of all callers.
func (q *quotas) total(what quota) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	sum := 0
	for k, n := range q.has {
		if k.what == what {
			sum += n
		}
	}
	return sum
}

// reserve counts a place that is about to be entered, unless it is counted already, or the
// session was dropped just now, and with it all that its caller had in it.
func (t *table) reserve(who *caller, e *entry, id string) (isNew bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.places[id]; ok || e.places == nil {
		return false, nil
	}
	if err := t.s.quotas.take(e.caller, quotaPlaces, t.s.limit(who, quotaPlaces)); err != nil {
		return false, err
	}
	e.places[id] = struct{}{}
	return true, nil
}

// release counts a place no more.
func (t *table) release(e *entry, id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.places[id]; ok {
		delete(e.places, id)
		t.s.quotas.give(e.caller, quotaPlaces, 1)
	}
}

// swapped counts a place instead of another.
func (t *table) swapped(e *entry, old, now string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.places[old]; ok {
		delete(e.places, old)
		e.places[now] = struct{}{}
	}
}
