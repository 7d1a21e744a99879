package history

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// whole reports whether the hold takes all there is, as every one does that says nothing of
// units.
func (h *hold) whole() bool { return h.units >= h.capacity }

// part is a time in which a hold was believed to take so much.
type part struct {
	belief
	units int64
}

// parts are the times in which the hold was believed. From when on it takes less it is
// counted with that: the code says so before it tells the store.
func (h *hold) parts() []part {
	var parts []part
	for _, s := range h.belief() {
		s.to = min(s.to, h.brokenAt())
		before, after := s, s
		before.to = min(s.to, at(h.lowered))
		after.from = max(s.from, at(h.lowered))
		if before.from < before.to {
			parts = append(parts, part{belief{h, before}, h.units})
		}
		if after.from < after.to {
			parts = append(parts, part{belief{h, after}, h.lowered.Units})
		}
	}
	return parts
}

// capacity: of a lock that is shared no more is believed to be held at once than there is: no
// writer beside a reader, no more permits than the semaphore has.
func capacity(r *run, found report) {
	byName := make(map[string][]part)
	for _, h := range r.grants {
		if h.capacity > 1 {
			byName[h.name] = append(byName[h.name], h.parts()...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		parts := byName[name]
		slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
		for i, p := range parts {
			total := int64(0)
			for _, other := range parts[:i+1] {
				if p.from < other.to {
					total += other.units
				}
			}
			if total > p.hold.capacity {
				found(p.from, "%s believes that it holds %d of %q; with that %d of %d are held",
					p.hold.id, p.units, name, total, p.hold.capacity)
			}
		}
	}
}

// fits: when a hold of a shared lock is granted, it and all places ahead of it that still
// stand fit the capacity. So nobody is passed by who came later, whether it waits for much or
// for little.
func fits(r *run, found report) {
	if !r.witnessed {
		return
	}
	byName := make(map[string][]*stand)
	for _, id := range slices.Sorted(maps.Keys(r.places)) {
		for _, s := range r.places[id].stands {
			if s.stood != nil && s.stood.Capacity > 1 {
				byName[s.name] = append(byName[s.name], s)
			}
		}
	}
	for _, h := range r.grants {
		own := h.place
		if h.capacity <= 1 || own.stood == nil || own.broken != nil {
			continue
		}
		total := h.units
		for _, s := range byName[h.name] {
			if s != own && s.stood.Token < own.stood.Token && earliest(s.freed) > h.grant.At {
				total += s.unitsAt(h.grant.At)
			}
		}
		if total > h.capacity {
			found(h.grant.At, "%s was granted %d of %q: with the places ahead %d of %d are taken", h.id, h.units, h.name, total, h.capacity)
		}
	}
}

// joined: a place that readers of one process share is joined no more often, and for no longer,
// than its client passes a lock on: so long may a writer be passed that waits behind it.
func joined(r *run, found report) {
	for _, id := range slices.Sorted(maps.Keys(r.places)) {
		for _, s := range r.places[id].stands {
			n := len(s.holds)
			if n < 2 || s.holds[0].capacity <= 1 || s.broken != nil {
				continue
			}
			bound := s.holds[0].client.passing()
			if bound == nil {
				continue
			}
			last := s.holds[n-1]
			if n > bound.Grants {
				found(last.grant.At, "%s was granted %q: grant %d by one place, %d are allowed", last.id, last.name, n, bound.Grants)
			}
			if took := last.grant.At - s.holds[0].grant.At; took > bound.longest() {
				found(last.grant.At, "%s was granted %q by a place that was joined for %v, %v are allowed", last.id, last.name, took, bound.Time)
			}
		}
	}
}

// unitsAt is how much the place took at that time.
func (s *stand) unitsAt(t time.Duration) int64 {
	if s.lowered != nil && s.lowered.At <= t {
		return s.lowered.Units
	}
	return s.stood.Units
}

// distinct: no two grants of a name have the same token.
func distinct(r *run, found report) {
	type grant struct {
		name  string
		token uint64
	}
	first := make(map[grant]*hold)
	for _, h := range r.grants {
		key := grant{h.name, h.token}
		if before := first[key]; before != nil && h.token != 0 {
			found(h.grant.At, "%s was granted %q with token %d, which %s has", h.id, h.name, h.token, before.id)
		}
		first[key] = h
	}
}

// terms: who watches an election never sees an earlier term after a later one.
func terms(r *run, found report) {
	last := make(map[string]*Event)
	for i := range r.events {
		e := &r.events[i]
		if e.Kind != Saw || e.Token == 0 {
			continue
		}
		if before := last[e.Hold]; before != nil && e.Token < before.Token {
			found(e.At, "%s saw the term %d of %q after %d", e.Hold, e.Token, e.Name, before.Token)
		}
		last[e.Hold] = e
	}
}

// orWhole is what is meant by units or a capacity: all there is, where nothing is said.
func orWhole(n int64) int64 { return max(n, 1) }
