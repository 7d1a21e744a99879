package history

import (
	"math"
	"time"
)

// forever is the time of what does not happen.
const forever = time.Duration(math.MaxInt64)

// run is a history, put together by client, hold and place.
type run struct {
	events  []Event
	end     time.Duration // of the last event
	clients map[string]*client
	places  map[string]*place
	holds   []*hold // in the order of their first event
	grants  []*hold // those that were granted, in that order
	byID    map[string]*hold
	calm    *Event // the first Calm, nil when there is none
	// witnessed: somebody watched the store, so a place that did not stand is one that
	// was never there.
	witnessed bool
}

// client is one life of a process.
type client struct {
	start       *Event // nil when unknown
	stops       []span
	close, done *Event
}

func newRun(events []Event) *run {
	r := &run{
		events:  events,
		clients: make(map[string]*client),
		places:  make(map[string]*place),
		byID:    make(map[string]*hold),
	}
	for i := range events {
		r.add(&events[i])
	}
	return r
}

func (r *run) add(e *Event) {
	r.end = max(r.end, e.At)
	switch e.Kind {
	case Start, Stop, Resume, Close, Closed:
		r.client(e.Client).add(e)
	case Ask, Grant, Refuse, GiveUp, Held, Lost, Release, Released:
		r.hold(e).add(r, e)
	case Lowered:
		if e.Hold != "" {
			r.hold(e).add(r, e)
		} else {
			r.place(e.Place).add(e)
		}
	case Stood, Freed, Broken, Evict:
		r.witnessed = r.witnessed || e.Kind == Stood
		r.place(e.Place).add(e)
	case Calm:
		if r.calm == nil {
			r.calm = e
		}
	}
}

func (r *run) client(id string) *client {
	c := r.clients[id]
	if c == nil {
		c = &client{}
		r.clients[id] = c
	}
	return c
}

func (c *client) add(e *Event) {
	switch e.Kind {
	case Start:
		c.start = e
	case Close:
		c.close = e
	case Closed:
		c.done = e
	case Stop:
		c.stops = append(c.stops, span{e.At, forever})
	case Resume:
		if n := len(c.stops); n > 0 {
			c.stops[n-1].to = e.At
		}
	}
}

// stoppedIn reports whether the process stood still at some time in the span.
func (c *client) stoppedIn(s span) bool {
	for _, stop := range c.stops {
		if stop.from <= s.to && s.from <= stop.to {
			return true
		}
	}
	return false
}

// killed reports whether the process ended without a word.
func (c *client) killed() bool {
	n := len(c.stops)
	return n > 0 && c.stops[n-1].to == forever
}

// passing is how the client passes a lock on, nil when that is not known.
func (c *client) passing() *Passing {
	if c.start == nil {
		return nil
	}
	return c.start.Passing
}

// earliest is the earliest moment at which an event can have happened.
func earliest(e *Event) time.Duration {
	if e != nil && e.Since != 0 {
		return e.Since
	}
	return at(e)
}

// at is when an event happens, which may be never. Of one that was learned of later, it is
// the latest moment.
func at(e *Event) time.Duration {
	if e == nil {
		return forever
	}
	return e.At
}
