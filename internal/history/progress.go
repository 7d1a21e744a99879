package history

import (
	"maps"
	"slices"
	"time"
)

// sound: what happens once happens once, and in its order.
func sound(r *run, found report) {
	for i := 1; i < len(r.events); i++ {
		if r.events[i].At < r.events[i-1].At {
			found(r.events[i].At, "this event comes after one of %v", r.events[i-1].At)
		}
	}
	for _, h := range r.holds {
		if h.twice != nil {
			found(h.twice.At, "%s: a second %q", h.id, h.twice.Kind)
		}
		if h.grant != nil && h.refuse != nil {
			found(h.refuse.At, "%s was granted and refused", h.id)
		}
		if h.grant == nil && (h.ended() != forever || len(h.shown) > 0) {
			found(h.ended(), "%s was never granted", h.id)
		}
	}
}

// ends: when nothing goes wrong any more every call returns in time.
func ends(r *run, found report) {
	if r.calm == nil {
		return
	}
	for _, h := range r.holds {
		if h.client.killed() {
			continue
		}
		r.endsInTime(h, h.ask, min(at(h.grant), at(h.refuse)), found)
		r.endsInTime(h, h.release, at(h.released), found)
	}
}

func (r *run) endsInTime(h *hold, begun *Event, ended time.Duration, found report) {
	if begun == nil {
		return
	}
	due := max(begun.At, r.calm.At) + r.calm.Until
	switch {
	case ended == forever:
		found(begun.At, "%s: %q of %q never returns", h.id, begun.Kind, h.name)
	case ended > due:
		found(due, "%s: %q of %q returns only at %v", h.id, begun.Kind, h.name, ended)
	}
}

// prompt is how soon a call returns when its context has ended, whatever the store does.
const prompt = 50 * time.Millisecond

// givesUp: a call whose context has ended returns at once.
func givesUp(r *run, found report) {
	for _, h := range r.holds {
		for _, e := range h.gaveUp {
			what, ended := "Lock", min(at(h.grant), at(h.refuse))
			if e.At >= at(h.release) {
				what, ended = "Release", at(h.released)
			}
			due := e.At + prompt + time.Duration(float64(prompt)*clockTolerance)
			if due < min(ended, r.end) && !h.client.stoppedIn(span{e.At, ended}) {
				found(due, "%s of %q by %s goes on, its context ended at %v", what, h.name, h.id, e.At)
			}
		}
	}
}

// grantedWhenCalm: who asks when nothing goes wrong any more, and does not give up,
// is granted.
func grantedWhenCalm(r *run, found report) {
	for _, h := range r.holds {
		if h.ask == nil || h.refuse == nil || h.ask.Why != Patient || h.ask.At < at(r.calm) || at(h.client.close) <= h.refuse.At {
			continue
		}
		found(h.refuse.At, "%s was refused %q: %s", h.id, h.name, h.refuse.Why)
	}
}

// closed: closing a client ends in time and, if that worked, leaves no place.
func closed(r *run, found report) {
	for _, id := range slices.Sorted(maps.Keys(r.clients)) {
		c := r.clients[id]
		if c.close == nil || c.killed() {
			continue
		}
		if !c.stoppedIn(span{c.close.At, at(c.done)}) && at(c.done) > c.close.Until {
			found(c.close.Until, "%s is not closed in time", id)
		}
		if c.done == nil || c.done.Why != "" {
			continue
		}
		for _, place := range slices.Sorted(maps.Keys(r.places)) {
			p := r.places[place]
			if p.client == id && earliest(p.latest().freed) > c.done.At {
				found(c.done.At, "%s is closed, its place %s of %q stands", id, p.id, p.name)
			}
		}
	}
}

// nothingLeft: the store is empty when all was given back.
func nothingLeft(r *run, found report) {
	for i := range r.events {
		if e := &r.events[i]; e.Kind == Left {
			found(e.At, "place %s of %q is left: %s", e.Place, e.Name, e.Why)
		}
	}
}
