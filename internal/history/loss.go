package history

import (
	"slices"
	"time"
)

// clockTolerance is how much the clocks of a client and of the history may differ in
// rate: what the contract allows.
const clockTolerance = 0.01

// Guard is how long before the store may free a place its holder is told that the
// session expired: the time to stop what it does.
func Guard(ttl time.Duration) time.Duration { return max(100*time.Millisecond, ttl/20) }

// guarded: a holder whose session expires is told a guard before the place is freed,
// unless it gave the place back itself or was not running.
func guarded(r *run, found report) {
	for _, h := range r.grants {
		if h.lost == nil || h.lost.Why != ByExpiry || h.place.freed == nil || h.client.start == nil {
			continue
		}
		told, freed := earliest(h.lost), h.place.freed.At
		guard := Guard(h.client.start.TTL)
		guard -= time.Duration(float64(guard) * clockTolerance)
		if at(h.release) < told || freed >= at(h.release) || h.brokenAt() <= freed ||
			h.client.stoppedIn(span{told - guard, freed}) || freed >= at(h.client.close) {
			continue
		}
		if freed-told < guard {
			found(freed, "%s was told %v before its place %s of %q was freed, not %v", h.id, freed-told, h.place.id, h.name, guard)
		}
	}
}

// told: a holder whose place was taken away behind its back does not believe for
// longer than was allowed.
func told(r *run, found report) {
	for _, h := range r.grants {
		b := h.place.broken
		if b == nil {
			continue
		}
		if until := min(h.believedUntil(), r.end); until > b.Until {
			found(b.Until, "%s believes until %v that it holds %q, its place %s was taken away at %v", h.id, until, h.name, h.place.id, b.At)
		}
	}
}

// trueLosses: who is told that a place, or the session, is gone from the store has no
// place there, who is told of an eviction was to go, and a release is called too
// late only if it was.
func trueLosses(r *run, found report) {
	if !r.witnessed {
		return
	}
	for _, h := range r.grants {
		if h.lost != nil && h.place.lostBy(h.lost.Why) > h.lost.At {
			found(h.lost.At, "%s was told that it lost %q: %s. That is not so of place %s", h.id, h.name, h.lost.Why, h.place.id)
		}
		if h.released == nil || h.released.Why != ByRemoval {
			continue
		}
		if earliest(h.place.freed) > at(h.release) && min(h.brokenAt(), at(h.place.evicted)) > h.released.At {
			found(h.released.At, "the release of %q by %s was called too late. Nobody else removed its place %s", h.name, h.id, h.place.id)
		}
	}
}

// lostBy is from when on, at the earliest, the holder of a place may be told that it lost
// it for this reason.
func (s *stand) lostBy(why string) time.Duration {
	switch why {
	case ByRemoval, BySession:
		return earliest(s.freed)
	case ByEvictor:
		return at(s.evicted)
	}
	return 0
}

// busy: who only tries is told that the lock is busy only if somebody was in the
// store's line, or in that of its own process.
func busy(r *run, found report) {
	if !r.witnessed {
		return
	}
	byName := make(map[string][]*stand)
	for _, p := range r.places {
		byName[p.name] = append(byName[p.name], p.stands...)
	}
	for _, h := range r.holds {
		if h.ask == nil || h.refuse == nil || h.refuse.Why != Busy {
			continue
		}
		inStore := func(s *stand) bool {
			return at(s.stood) <= h.refuse.At && h.ask.At <= s.thoughtUntil()
		}
		inProcess := func(other *hold) bool {
			return other != h && other.client == h.client && other.name == h.name &&
				at(other.ask) <= h.refuse.At && h.ask.At <= min(at(other.refuse), at(other.released), at(other.lost))
		}
		if !slices.ContainsFunc(byName[h.name], inStore) && !slices.ContainsFunc(r.holds, inProcess) {
			found(h.refuse.At, "%s was told that %q is busy, nobody was in line", h.id, h.name)
		}
	}
}

// thoughtUntil is until when the client of a place may think that it stands.
func (s *stand) thoughtUntil() time.Duration {
	if s.broken != nil {
		return s.broken.Until
	}
	return at(s.freed)
}
