package filedriver

import (
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// turn is one call that works on one place of a session. Calls on the same place go
// one after the other. So what a call knows of a place, in memory, is what is in the
// directory, unless somebody else removed it there.
type turn struct {
	call *call // nil when it ends at once
	done chan struct{}
}

// take waits for the turn of a place. The call then ends early when a Leave of the
// place comes.
func (s *Session) take(k *call, id string) (done func(), err error) {
	return s.takeTurn(k, id, false)
}

// takeToLeave is take for a Leave: who has the turn is asked to give up, since a
// process may be stopped inside the stripe that an Enter waits for.
func (s *Session) takeToLeave(k *call, id string) (done func(), err error) {
	return s.takeTurn(k, id, true)
}

func (s *Session) takeTurn(k *call, id string, leaving bool) (func(), error) {
	for {
		s.mu.Lock()
		before := s.turns[id]
		if before == nil {
			t := &turn{call: k, done: make(chan struct{})}
			s.turns[id] = t
			s.mu.Unlock()
			return func() { s.giveTurn(id, t) }, nil
		}
		s.mu.Unlock()
		if leaving && before.call != nil {
			before.call.cancel(fmt.Errorf("%w: place %s was left meanwhile", driver.ErrGone, id))
		}
		select {
		case <-before.done:
		case <-k.Done():
			return nil, cancelled(k)
		}
	}
}

// tryTake takes the turn of a place for what ends at once; it is nil when somebody has it.
func (s *Session) tryTake(id string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns[id] != nil {
		return nil
	}
	t := &turn{done: make(chan struct{})}
	s.turns[id] = t
	return func() { s.giveTurn(id, t) }
}

func (s *Session) giveTurn(id string, t *turn) {
	s.mu.Lock()
	delete(s.turns, id)
	s.mu.Unlock()
	close(t.done)
}
