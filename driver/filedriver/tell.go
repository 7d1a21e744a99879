package filedriver

import (
	"errors"
	"io/fs"

	"github.com/holdgate/holdgate/driver"
)

// tell makes the file which says that somebody sleeps until this place is granted. More
// than one call may sleep on it: it is made and removed in the turn of the place.
func (w *sleeper) tell(k *call, p *driver.Place) error {
	turn, err := w.s.take(k, w.id)
	if err != nil {
		return err
	}
	defer turn.give()
	err = w.s.name(w.line.beside(p, sideWait))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	w.told = true
	w.s.setWaiting(w.line.name, w.id, true)
	return nil
}

// untell removes it, and reports whether it did: not while others sleep, unless the place
// is granted and so they wake. When the turn cannot be had it stays: at worst, somebody
// pokes for nothing.
func (w *sleeper) untell(k *call, p *driver.Place, granted bool) bool {
	turn, err := w.s.take(k, w.id)
	if err != nil {
		return false
	}
	defer turn.give()
	if w.s.sleepers(w.id) > 1 {
		if !granted {
			return false
		}
		w.s.rouse(w.id)
	}
	_ = w.s.d.root.unlink(w.line.beside(p, sideWait)) // as above
	w.s.setWaiting(w.line.name, w.id, false)
	return true
}

func (s *Session) setWaiting(line, id string, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.places[placeKey{line, id}]; st != nil {
		st.waiting = waiting
	}
}
