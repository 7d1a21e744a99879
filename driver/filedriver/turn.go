package filedriver

import (
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// turn is one call that works on one place of a session. Calls on the same place go
// one after the other. So what a call knows of a place, in memory, is what is in the
// directory, unless somebody else removed it there.
type turn struct {
	s    *Session
	id   string
	call *call // nil when it ends at once
	// over is closed at its end; nil while nobody waits for that.
	over chan struct{}
}

// take waits for the turn of a place. The call then ends early when a Leave of the
// place comes.
func (s *Session) take(k *call, id string) (*turn, error) {
	return s.takeTurn(k, id, false)
}

// takeToLeave is take for a Leave: who has the turn is asked to give up, since a
// process may be stopped inside the stripe that an Enter waits for.
func (s *Session) takeToLeave(k *call, id string) (*turn, error) {
	return s.takeTurn(k, id, true)
}

func (s *Session) takeTurn(k *call, id string, leaving bool) (*turn, error) {
	for {
		t, before, over := s.tryTurn(k, id)
		if t != nil {
			return t, nil
		}
		if leaving && before != nil {
			before.cancel(fmt.Errorf("%w: place %s was left meanwhile", driver.ErrGone, id))
		}
		select {
		case <-over:
		case <-k.Done():
			return nil, cancelled(k)
		}
	}
}

// tryTurn takes the turn of a place, or returns whose it is and what is closed at its end.
func (s *Session) tryTurn(k *call, id string) (t *turn, before *call, over chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held := s.turns[id]; held != nil {
		if held.over == nil {
			held.over = make(chan struct{})
		}
		return nil, held.call, held.over
	}
	t = &turn{s: s, id: id, call: k}
	s.turns[id] = t
	return t, nil, nil
}

func (t *turn) give() {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	delete(t.s.turns, t.id)
	if t.over != nil {
		close(t.over)
	}
}
