package history

// onceOnly: what was done once is not begun again as long as that is remembered. Not so if the
// place of who did it had been taken away: then two may have believed.
func onceOnly(r *run, found report) {
	done := make(map[string][]*Event)
	for i := range r.events {
		e := &r.events[i]
		switch e.Kind {
		case Done:
			if h := r.byID[e.Hold]; h == nil || h.brokenAt() > e.At {
				done[e.Name] = append(done[e.Name], e)
			}
		case Began:
			for _, d := range done[e.Name] {
				if e.At < d.Until && e.Hold != d.Hold {
					found(e.At, "%s begins %q, which %s has done at %v, remembered until %v", e.Hold, e.Name, d.Hold, d.At, d.Until)
				}
			}
		}
	}
}

// met: nobody goes past a barrier before enough have come. Each round takes as many places as there
// are parties, and none of those is a part of another round.
func met(r *run, found report) {
	places, through := make(map[string]int64), make(map[string]int64)
	for i := range r.events {
		e := &r.events[i]
		switch e.Kind {
		case Stood:
			places[e.Name]++
		case Met:
			through[e.Name]++
			rounds := (through[e.Name] + e.Capacity - 1) / e.Capacity
			if r.witnessed && rounds*e.Capacity > places[e.Name] {
				found(e.At, "%s is let through %q: %d of %d a round, and %d have come", e.Hold, e.Name, through[e.Name], e.Capacity, places[e.Name])
			}
		}
	}
}
