package holdgate

import "slices"

// holders are the holds by which a place is held: one, or those of the readers who share
// it. They are guarded by the session's mutex.
type holders struct {
	all []*Hold
	one [1]*Hold // room for the one that there mostly is
}

func (hs *holders) none() bool { return len(hs.all) == 0 }

// first is who is named where there is room for one name, nil when there is none.
func (hs *holders) first() *Hold {
	if hs.none() {
		return nil
	}
	return hs.all[0]
}

// only makes h the only one.
func (hs *holders) only(h *Hold) {
	hs.one[0] = h
	hs.all = hs.one[:]
}

// add makes h one more.
func (hs *holders) add(h *Hold) {
	if hs.none() {
		hs.only(h)
		return
	}
	hs.all = append(hs.all, h)
}

// replace puts another one where from is, and reports whether it is there.
func (hs *holders) replace(from, to *Hold) bool {
	i := slices.Index(hs.all, from)
	if i >= 0 {
		hs.all[i] = to
	}
	return i >= 0
}

// remove takes h out, if it is there.
func (hs *holders) remove(h *Hold) {
	if i := slices.Index(hs.all, h); i >= 0 {
		hs.all = slices.Delete(hs.all, i, i+1)
	}
}

func (hs *holders) clear() { hs.all, hs.one[0] = nil, nil }
