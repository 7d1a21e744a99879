package history

import (
	"cmp"
	"maps"
	"slices"
)

// exclusive: no two holds of a name are believed at once. A hold whose place was
// taken away behind its back does not count from then on, towards those who came by
// another place; see told. Holds that share a lock are judged by capacity.
func exclusive(r *run, found report) {
	byName, byPlace := make(map[string][]belief), make(map[string][]belief)
	for _, h := range r.grants {
		for _, s := range h.belief() {
			if h.capacity == 1 {
				byPlace[h.place.id] = append(byPlace[h.place.id], belief{h, s})
			}
			if s.to = min(s.to, h.brokenAt()); s.from < s.to && h.capacity == 1 {
				byName[h.name] = append(byName[h.name], belief{h, s})
			}
		}
	}
	seen := make(map[[2]*hold]bool)
	for _, group := range []map[string][]belief{byName, byPlace} {
		for _, key := range slices.Sorted(maps.Keys(group)) {
			for a, b := range overlaps(group[key]) {
				if pair := [2]*hold{a.hold, b.hold}; !seen[pair] {
					seen[pair] = true
					found(b.from, "%s believes that it holds %q, %s has since %v and does until %v",
						b.hold.id, b.hold.name, a.hold.id, a.from, a.to)
				}
			}
		}
	}
}

// belief is a time in which a hold was believed.
type belief struct {
	hold *hold
	span
}

// overlaps yields the pairs of beliefs that overlap, as far as one is the longest of
// all that began before the other.
func overlaps(beliefs []belief) func(yield func(a, b belief) bool) {
	slices.SortStableFunc(beliefs, func(a, b belief) int { return cmp.Compare(a.from, b.from) })
	return func(yield func(a, b belief) bool) {
		for i, longest := 1, 0; i < len(beliefs); i++ {
			a, b := beliefs[longest], beliefs[i]
			if b.from < a.to && b.from < b.to && a.hold != b.hold && !yield(a, b) {
				return
			}
			if b.to > a.to {
				longest = i
			}
		}
	}
}

// standing: a hold is believed only while its place stands in the store. This is
// exclusive, seen without a second client that happens to come.
func standing(r *run, found report) {
	if !r.witnessed {
		return
	}
	for _, h := range r.grants {
		p := h.place
		if p.stood == nil || p.stood.At > h.grant.At {
			found(h.grant.At, "%s was granted %q by place %s, which does not stand", h.id, h.name, p.id)
			continue
		}
		if p.broken != nil {
			continue
		}
		if until := min(h.believedUntil(), r.end); until > at(p.freed) {
			found(p.freed.At, "%s believes until %v that it holds %q, its place %s is gone", h.id, until, h.name, p.id)
		}
	}
}
