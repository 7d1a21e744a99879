package history

import (
	"slices"
	"time"
)

// hold is one call of Lock, and the hold that it returned.
type hold struct {
	id, name string
	client   *client
	of       string // the client's name
	place    *stand
	token    uint64

	units, capacity int64

	ask, grant, refuse      *Event
	lost, release, released *Event
	lowered                 *Event // since when it takes less
	gaveUp                  []*Event
	shown                   []time.Duration // when the hold said that it is held
	twice                   *Event          // something that can happen only once
}

func (r *run) hold(e *Event) *hold {
	h := r.byID[e.Hold]
	if h == nil {
		h = &hold{id: e.Hold, name: e.Name, client: r.client(e.Client), of: e.Client}
		r.byID[e.Hold] = h
		r.holds = append(r.holds, h)
	}
	return h
}

func (h *hold) add(r *run, e *Event) {
	switch e.Kind {
	case Ask:
		h.once(&h.ask, e)
	case Grant:
		if h.once(&h.grant, e); h.grant != e {
			return
		}
		h.token = e.Token
		h.units, h.capacity = orWhole(e.Units), orWhole(e.Capacity)
		h.place = r.place(e.Place).grant(h)
		r.grants = append(r.grants, h)
	case Refuse:
		h.once(&h.refuse, e)
	case GiveUp:
		h.gaveUp = append(h.gaveUp, e)
	case Lowered:
		first(&h.lowered, e)
	case Held:
		h.shown = append(h.shown, e.At)
	case Lost:
		h.once(&h.lost, e)
	case Release:
		first(&h.release, e) // a second one is answered, and changes nothing
	case Released:
		first(&h.released, e)
	}
}

func (h *hold) once(to **Event, e *Event) {
	if *to != nil {
		h.twice = e
		return
	}
	*to = e
}

// span is a time from one moment up to another, without it.
type span struct{ from, to time.Duration }

// ended is until when the code certainly believed, if it ran all the time.
func (h *hold) ended() time.Duration { return min(earliest(h.lost), at(h.release)) }

// belief returns when the hold was believed.
func (h *hold) belief() []span {
	if h.grant == nil {
		return nil
	}
	var spans []span
	from, end := h.grant.At, h.ended()
	for _, stop := range h.client.stops {
		if stop.to <= from || end <= stop.from {
			continue
		}
		spans = append(spans, span{from, max(from, stop.from)})
		if !h.showsAfter(stop.to) {
			return spans
		}
		from = stop.to
	}
	return append(spans, span{from, end})
}

// showsAfter reports whether the hold said that it is held after its process went
// on, before it ended.
func (h *hold) showsAfter(resumed time.Duration) bool {
	return slices.ContainsFunc(h.shown, func(t time.Duration) bool { return resumed <= t })
}

// believedUntil is when belief ended for good.
func (h *hold) believedUntil() time.Duration {
	spans := h.belief()
	return spans[len(spans)-1].to
}

// brokenAt is when somebody took the place away behind the holder's back, at the
// earliest.
func (h *hold) brokenAt() time.Duration { return earliest(h.place.broken) }

// ordered reports whether the history shows when the hold was granted: not if its client
// learned of it when the place may have been gone already.
func (h *hold) ordered() bool {
	b := h.place.broken
	return b == nil || b.Since == 0 || h.grant.At <= b.Since
}
