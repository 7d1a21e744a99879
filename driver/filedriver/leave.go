package filedriver

import (
	"context"
	"errors"
	"io/fs"

	"github.com/holdgate/holdgate/driver"
)

// Leave removes a place. It takes no lock: nobody can keep a holder from giving up.
func (s *Session) Leave(ctx context.Context, name, id string) error {
	if err := checkPlace(name, id); err != nil {
		return err
	}
	k, err := s.calls.begin(ctx)
	if err != nil {
		return err
	}
	defer k.done()
	turn, err := s.takeToLeave(k, id)
	if err != nil {
		return err
	}
	defer turn.give()
	st := s.standingAt(name, id)
	if st == nil {
		return gone(name, id)
	}
	return translate(s.remove(st))
}

// remove takes a place out of its line. The caller has its turn, or has ended all calls.
func (s *Session) remove(st *standing) error {
	err := s.d.root.unlink(st.line.path(st.file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // it stands, and the caller may try again
	}
	s.forget(&st.place)
	s.rouse(st.place.ID)
	st.line.departed(leaver{&st.place, st.waiting})
	if err != nil {
		return gone(st.line.name, st.place.ID)
	}
	return nil
}

func checkPlace(name, id string) error {
	if err := driver.CheckName(name); err != nil {
		return err
	}
	return driver.CheckID(id)
}
