package filedriver

import (
	"context"

	"github.com/holdgate/holdgate/driver"
)

// Renew tells whether the session still stands, and which of its places shall go. No
// clock is renewed, as none runs.
func (s *Session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	k, err := s.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer k.done()
	if err := s.stands(); err != nil {
		return nil, translate(err)
	}
	var out []driver.Eviction
	for _, st := range s.all() {
		mark, err := st.line.readMark(&st.place)
		if err != nil {
			return nil, translate(err)
		}
		if mark != nil && exists(st.line.path(st.file)) {
			out = append(out, *mark)
		}
	}
	s.rouseChanged()
	return out, nil
}

// Present returns the places of this session that stand. Only this process makes them,
// and it remembers each before it does.
func (s *Session) Present(ctx context.Context) ([]driver.Place, error) {
	k, err := s.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer k.done()
	if err := s.stands(); err != nil {
		return nil, translate(err)
	}
	var out []driver.Place
	for _, st := range s.all() {
		if exists(st.line.path(st.file)) {
			out = append(out, driver.Place{Line: st.line.name, ID: st.place.ID, Order: st.place.Order, Session: s.id, Owner: s.owner})
		} else {
			s.forgetMissing(st)
		}
	}
	return out, nil
}

// forgetMissing forgets a place that others removed. One that is being made has its turn
// taken, and is left alone.
func (s *Session) forgetMissing(st *standing) {
	turn, _, _ := s.tryTurn(nil, st.place.ID)
	if turn == nil {
		return
	}
	defer turn.give()
	if !exists(st.line.path(st.file)) {
		s.forget(&st.place)
	}
}
