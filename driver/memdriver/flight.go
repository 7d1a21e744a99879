package memdriver

import "slices"

// flight is a delayed request that will make places when it lands. Whoever leaves
// one of them meanwhile overtakes it, and then it makes nothing: the contract's
// promise that no delayed Enter brings a place back. Knowing what is in the air is
// exact, and keeps nothing about all the IDs that were ever left.
type flight struct {
	makes     []spot
	overtaken bool
}

// spot is where a place is or will be.
type spot struct{ line, id string }

func (r *record) depart(makes []spot) *flight {
	f := &flight{makes: makes}
	r.flights = append(r.flights, f)
	return f
}

// land ends a flight, and reports whether it still counts.
func (r *record) land(f *flight) bool {
	if i := slices.Index(r.flights, f); i >= 0 {
		r.flights = slices.Delete(r.flights, i, i+1)
	}
	return !f.overtaken
}

func (r *record) overtake(line, id string) {
	for _, f := range r.flights {
		if slices.Contains(f.makes, spot{line, id}) {
			f.overtaken = true
		}
	}
}
