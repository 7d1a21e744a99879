package redisdriver

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

// Leave removes every trace of the ID from the line.
func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := cmp.Or(driver.CheckName(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	doubt := s.inDoubt(placeID)
	r := newRequest(s.d.scripts.leave, s.d.keys.ofPlace(s.id, line), s.id, line, placeID, flag(doubt))
	if !doubt {
		r.simple = simple{session: s.id, line: line, args: r.args[1:3]}
	}
	answer, err := s.call(ctx, r)
	if err != nil {
		return fmt.Errorf("leave %q: %w", line, err)
	}
	s.left(placeID)
	if answer.text(0) != saysOK {
		return answer.refusal(line, placeID)
	}
	return nil
}

// left notes that a place is gone, and that no request can make it any more.
func (s *session) left(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unsure, id)
	s.advanceLocked(id, stateGone)
}

// Update writes new data and units for a place that stands.
func (s *session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID), driver.CheckData(p.Data)); err != nil {
		return driver.Place{}, err
	}
	if p.Units < 0 {
		return driver.Place{}, fmt.Errorf("%w: units are not negative, %d is", driver.ErrInvalid, p.Units)
	}
	answer, err := s.call(ctx, newRequest(s.d.scripts.update, s.d.keys.ofPlace(s.id, p.Line),
		s.id, p.Line, p.ID, strconv.FormatUint(p.Version, 10), strconv.FormatInt(p.Units, 10), string(p.Data)))
	var now driver.Place
	if err == nil {
		now, err = s.lookedAt(p.Line, p.ID, answer)
	}
	if err != nil {
		return driver.Place{}, fmt.Errorf("update in %q: %w", p.Line, err)
	}
	s.updated(now)
	return now, nil
}

// updated keeps the turn of a place that waits up to date, for its grant to show it so.
func (s *session) updated(p driver.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turns[p.ID]
	if t == nil || t.place.Version > p.Version {
		return
	}
	t.place = p
	t.place.Data = []byte(string(p.Data))
	if p.Granted {
		t.advanceLocked(stateGranted)
	}
}
