package history

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// tokens: of one name, each grant has a larger token than all before it. A place that
// was taken away had been granted before that, whenever its client learned of it. Where
// neither is known well enough, nothing is said. Of a shared lock the holds count that
// take all of it.
func tokens(r *run, found report) {
	moment := func(h *hold) time.Duration { return min(h.grant.At, h.brokenAt()) }
	grants := slices.DeleteFunc(slices.Clone(r.grants), func(h *hold) bool { return !h.ordered() || !h.whole() })
	slices.SortStableFunc(grants, func(a, b *hold) int { return cmp.Compare(moment(a), moment(b)) })
	last := make(map[string]*hold)
	for _, h := range grants {
		before := last[h.name]
		if before != nil && h.token <= before.token && (h.token != 0 || before.token != 0) {
			found(h.grant.At, "%s was granted %q with token %d, after %s with %d", h.id, h.name, h.token, before.id, before.token)
		}
		if before == nil || h.token > before.token {
			last[h.name] = h
		}
	}
}

// register: a resource that checks tokens takes no write of an earlier grant after
// one of a later, and none but those of a hold that nobody believes any more are
// refused.
func register(r *run, found report) {
	last := make(map[string]*Event)
	for i := range r.events {
		e := &r.events[i]
		switch e.Kind {
		case Accept:
			if before := last[e.Name]; before != nil && r.earlier(e.Hold, before.Hold) {
				found(e.At, "%q took a write of %s after one of %s, which was granted later", e.Name, e.Hold, before.Hold)
			}
			last[e.Name] = e
		case Reject:
			h := r.byID[e.Hold]
			if h == nil || h.grant == nil || h.brokenAt() <= e.At {
				continue
			}
			for _, s := range h.belief() {
				if s.from <= e.At && e.At < s.to {
					found(e.At, "%q refused a write of %s, which holds", e.Name, e.Hold)
				}
			}
		}
	}
}

// earlier reports whether a was certainly granted before b.
func (r *run) earlier(a, b string) bool {
	ha, hb := r.byID[a], r.byID[b]
	if ha == nil || hb == nil || ha.grant == nil || hb.grant == nil || ha == hb || !ha.ordered() || !hb.ordered() {
		return false
	}
	if ma, mb := min(ha.grant.At, ha.brokenAt()), min(hb.grant.At, hb.brokenAt()); ma != mb {
		return ma < mb
	}
	return slices.Index(r.grants, ha) < slices.Index(r.grants, hb)
}

// fair: of a lock that is not shared (see fits), while a place waits, none that came later is granted, and one ahead is
// granted no more often, and for no longer, than its client passes a lock on. When those
// were granted that are taken together is not known well enough.
func fair(r *run, found report) {
	byName := make(map[string][]*stand)
	for _, id := range slices.Sorted(maps.Keys(r.places)) {
		for _, s := range r.places[id].stands {
			if s.stood != nil && s.stood.Capacity <= 1 && len(s.holds) > 0 && s.broken == nil {
				byName[s.name] = append(byName[s.name], s)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		places := byName[name]
		for _, waits := range places {
			for _, other := range places {
				if other.client != waits.client {
					r.passes(waits, other, found)
				}
			}
		}
	}
}

// passes looks at how often other was granted while one waited.
func (r *run) passes(waits, other *stand, found report) {
	wait := span{waits.stood.At, waits.holds[0].grant.At}
	var while []*hold
	for _, h := range other.holds {
		if h.grant.Why != Together && wait.from < h.grant.At && h.grant.At < wait.to {
			while = append(while, h)
		}
	}
	if len(while) == 0 {
		return
	}
	last := while[len(while)-1]
	if other.stood.At > wait.from {
		found(last.grant.At, "%s was granted %q by a place that came later than %s, which waits", last.id, last.name, waits.id)
		return
	}
	bound := r.client(other.client).passing()
	if bound == nil {
		return
	}
	if n := len(while); n > bound.Grants {
		found(last.grant.At, "%s was granted %q: grant %d by one place while %s waits, %d are allowed",
			last.id, last.name, n, waits.id, bound.Grants)
	}
	since := max(other.holds[0].grant.At, wait.from)
	if took := last.grant.At - since; took > bound.longest() {
		found(last.grant.At, "%s was granted %q by a place that was passed on for %v while %s waits, %v are allowed",
			last.id, last.name, took, waits.id, bound.Time)
	}
}

// longest is how long the bound may seem to be by another clock.
func (p *Passing) longest() time.Duration {
	return p.Time + time.Duration(float64(p.Time)*clockTolerance) + 1
}
