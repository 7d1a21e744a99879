package memdriver

import "slices"

// flight is a delayed request that will make places when it lands. Whoever removes
// one of them meanwhile overtakes it, and then it makes nothing: the contract's
// promise that no delayed Enter brings a place back. Knowing what is in the air is
// exact, and keeps nothing about all the IDs that ever left.
type flight struct {
	makes     []spot
	overtaken bool
}

// spot is where a place is or will be.
type spot struct{ line, id string }

// depart registers a delayed request, and returns what to ask in the step in which
// it lands. A request that makes no place cannot be overtaken.
func (s *Store) depart(session string, makes []spot) (land func() error) {
	st := s.begin()
	defer s.end()
	r := st.sessions[session]
	if r == nil || len(makes) == 0 {
		return func() error { return nil }
	}
	f := &flight{makes: makes}
	r.flights = append(r.flights, f)
	return func() error { return r.land(f) }
}

func (r *record) land(f *flight) error {
	if i := slices.Index(r.flights, f); i >= 0 {
		r.flights = slices.Delete(r.flights, i, i+1)
	}
	if f.overtaken {
		return gone(f.makes[0].line, f.makes[0].id)
	}
	return nil
}

func (r *record) overtake(line, id string) {
	for _, f := range r.flights {
		if slices.Contains(f.makes, spot{line, id}) {
			f.overtaken = true
		}
	}
}
