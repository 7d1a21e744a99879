package server

import (
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// overtaken keeps requests to make a place from doing so after the place was left.
//
// A client that gave up cannot call its request back: it may lie in a buffer of the network
// while a Leave, on another connection, is answered. A client that knows of such a request
// says so when it leaves (doubt): from then on a request for that ID comes to nothing. The
// IDs of places are never used for a second one.
type overtaken struct {
	void     map[string]time.Time // left, with a request that may be on its way
	entering map[string]*arrivals // requests for an ID that the store has now
}

// arrivals are requests to make one place.
type arrivals struct {
	n    int
	gone chan struct{} // closed when there are none
}

// voidFor is how long a request may be on its way. What comes later finds its session by
// Present, and the client leaves it.
const voidFor = 5 * time.Minute

// arrive notes a request to make places, which is over when done is called. It is refused
// when one of them was left.
func (e *entry) arrive(ids ...string) (done func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		if _, left := e.void[id]; left {
			return nil, fmt.Errorf("%w: place %s was left before this request came", driver.ErrGone, id)
		}
	}
	for _, id := range ids {
		a := e.entering[id]
		if a == nil {
			a = &arrivals{gone: make(chan struct{})}
			e.entering[id] = a
		}
		a.n++
	}
	return func() { e.arrived(ids) }, nil
}

func (e *entry) arrived(ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		a := e.entering[id]
		if a.n--; a.n == 0 {
			delete(e.entering, id)
			close(a.gone)
		}
	}
}

// overtake voids all requests for a place that have not come yet. It returns what is closed
// when the store has none of those that have, nil where it has none.
func (e *entry) overtake(id string, now time.Time) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	for other, since := range e.void {
		if now.Sub(since) > voidFor {
			delete(e.void, other)
		}
	}
	e.void[id] = now
	if a := e.entering[id]; a != nil {
		return a.gone
	}
	return nil
}
