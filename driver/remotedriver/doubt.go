package remotedriver

import (
	"errors"

	"github.com/holdgate/holdgate/driver"
)

// doubt notes a place that may yet be made, when that is what an error says. When it is
// left, the server is told to make nothing of such a request.
func (s *session) doubt(err error, id string) {
	if !errors.Is(err, driver.ErrUnknownOutcome) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsure[id] = struct{}{}
}

func (s *session) inDoubt(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, unsure := s.unsure[id]
	return unsure
}

// left notes that a place was left, and that the server knows.
func (s *session) left(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unsure, id)
}
