package memdriver

import (
	"sync"
	"time"
)

// Store is the memory that handles share: what a server would be. It lives as long
// as something refers to it, and needs no closing.
type Store struct {
	epoch time.Time

	mu    sync.Mutex // held for one step at a time, never across a wait
	state state
	alarm *time.Timer
	armed bool
	rings time.Duration // when, while it is armed
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{epoch: time.Now(), state: newState()}
}

// now is the store's clock.
func (s *Store) now() time.Duration { return time.Since(s.epoch) }

// begin starts a step: the caller has the state for itself until end.
func (s *Store) begin() *state {
	s.mu.Lock()
	s.state.advance(s.now())
	return &s.state
}

// end ends a step.
func (s *Store) end() {
	s.setAlarm()
	s.mu.Unlock()
}

// setAlarm sees to it that somebody wakes those who wait for what expires. The alarm
// may go off too early, since a renewal does not move it: it is then set again.
// With nothing that expires it is off, so that nothing keeps the store alive.
func (s *Store) setAlarm() {
	first := s.state.deadlines.first()
	switch {
	case first == nil:
		if s.armed {
			s.alarm.Stop()
			s.armed = false
		}
	case s.armed && s.rings <= first.at:
	case s.alarm == nil:
		s.rings, s.armed = first.at, true
		s.alarm = time.AfterFunc(first.at-s.state.now, s.ring)
	default:
		s.rings, s.armed = first.at, true
		s.alarm.Reset(first.at - s.state.now)
	}
}

// ring runs in the alarm's goroutine. It may come late, after the alarm was set to
// another time: setting it again is all that this costs.
func (s *Store) ring() {
	s.begin()
	s.armed = false
	s.end()
}
