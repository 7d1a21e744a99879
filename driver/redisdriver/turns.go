package redisdriver

import "github.com/holdgate/holdgate/driver"

// turn is what a process knows of a place of its own that waits. It comes to know it from
// two sides, answers and messages, in any order; but a place only ever goes from waiting
// to granted to gone, so that the furthest is the newest.
type turn struct {
	id string

	// Guarded by the session's mutex.
	place   driver.Place // as last read; without a line before the first answer
	state   state
	pending int           // requests under way that make the place
	decided chan struct{} // closed once it is no longer waiting; nil until somebody asks
}

type state int

const (
	stateWaiting state = iota
	stateGranted
	stateGone
)

// expect begins the turn of a place that a request is about to make, if it has none.
func (s *session) expect(id string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turns[id]
	if t == nil {
		t = s.beginLocked(id)
	}
	t.pending++
	return t
}

func (s *session) beginLocked(id string) *turn {
	t := &turn{id: id}
	s.turns[id] = t
	return t
}

// decision is closed once a turn is no longer waiting.
func (s *session) decision(t *turn) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.decided == nil {
		t.decided = make(chan struct{})
		if t.state != stateWaiting {
			close(t.decided)
		}
	}
	return t.decided
}

// answered notes the place that a request has made. The turn of one that is granted is
// over.
func (s *session) answered(t *turn, p driver.Place) driver.Place {
	s.mu.Lock()
	t.pending--
	t.place = p
	if p.Granted {
		t.advanceLocked(stateGranted)
	}
	p.Granted = p.Granted || t.state == stateGranted
	waits := !p.Granted
	if !waits && t.pending == 0 {
		s.dropLocked(t)
	}
	s.mu.Unlock()
	if waits {
		s.listen()
	}
	return p
}

// unanswered notes that a request has failed, or may have.
func (s *session) unanswered(id string, t *turn, err error) {
	s.mu.Lock()
	t.pending--
	if t.pending == 0 && t.place.Line == "" {
		s.dropLocked(t)
	}
	s.mu.Unlock()
	s.doubt(id, err)
}

func (s *session) dropLocked(t *turn) {
	if s.turns[t.id] == t {
		delete(s.turns, t.id)
	}
}

// doubt notes a place that may yet be made, when that is what an error says. When it is
// left, the store is told to make nothing of such a request.
func (s *session) doubt(id string, err error) {
	if !oneOf(err, driver.ErrUnknownOutcome) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsure[id] = struct{}{}
}

func (s *session) noDoubt(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unsure, id)
}

func (s *session) inDoubt(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, unsure := s.unsure[id]
	return unsure
}

// forget notes that a place is gone by our own doing.
func (s *session) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanceLocked(id, stateGone)
}

func (s *session) advanceLocked(id string, to state) {
	t := s.turns[id]
	if t == nil {
		return
	}
	t.advanceLocked(to)
	if t.state == stateGone {
		s.dropLocked(t)
	}
}

func (t *turn) advanceLocked(to state) {
	if t.state == stateWaiting && to != stateWaiting && t.decided != nil {
		close(t.decided)
	}
	t.state = max(t.state, to)
}

// waiting returns the turns that are not decided.
func (s *session) waiting() []*turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var turns []*turn
	for _, t := range s.turns {
		if t.state == stateWaiting && t.place.Line != "" {
			turns = append(turns, t)
		}
	}
	return turns
}
