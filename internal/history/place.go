package history

import "slices"

// place is what is known of a place in the store's line.
type place struct {
	id, client, name string
	evicted          *Event // the first request
	// stands are the times in which it stood. There is more than one when the same
	// request was repeated, or came late, after the place was gone.
	stands []*stand
}

// stand is a place from its entry until it is removed, as far as it was seen.
type stand struct {
	*place
	stood, freed, broken *Event
	lowered              *Event  // the last time that it takes less
	holds                []*hold // that were granted on it, in order
}

func (r *run) place(id string) *place {
	p := r.places[id]
	if p == nil {
		p = &place{id: id}
		r.places[id] = p
	}
	return p
}

func (p *place) add(e *Event) {
	switch e.Kind {
	case Stood:
		p.client, p.name = e.Client, e.Name
		p.stands = append(p.stands, &stand{place: p, stood: e})
	case Freed:
		first(&p.latest().freed, e)
	case Broken:
		first(&p.latest().broken, e)
	case Evict:
		first(&p.evicted, e)
	case Lowered:
		p.latest().lowered = e
	}
}

// latest is the stand that events are about now.
func (p *place) latest() *stand {
	if len(p.stands) == 0 {
		p.stands = append(p.stands, &stand{place: p})
	}
	return p.stands[len(p.stands)-1]
}

// grant finds the stand by which a hold was granted: the last one whose tokens begin
// no higher.
func (p *place) grant(h *hold) *stand {
	s := p.latest()
	for _, earlier := range slices.Backward(p.stands) {
		if earlier.stood != nil && earlier.stood.Token <= h.token {
			s = earlier
			break
		}
	}
	s.holds = append(s.holds, h)
	return s
}

// first sets what only the first event sets.
func first(to **Event, e *Event) {
	if *to == nil {
		*to = e
	}
}
