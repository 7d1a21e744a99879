package filedriver

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// turn is one call that works on one place of a session. Calls on the same place go
// one after the other. So what a call knows of a place, in memory, is what is in the
// directory, unless somebody else removed it there.
type turn struct {
	done   chan struct{}
	cancel context.CancelCauseFunc
}

var errWithdrawn = errors.New("the place was left meanwhile")

// take waits for the turn of a place. The context that it gives ends early when a
// Leave of the place comes.
func (s *Session) take(ctx context.Context, id string) (context.Context, func(), error) {
	return s.takeTurn(ctx, id, false)
}

// takeToLeave is take for a Leave: who has the turn is asked to give up, since a
// process may be stopped inside the stripe that an Enter waits for.
func (s *Session) takeToLeave(ctx context.Context, id string) (func(), error) {
	_, done, err := s.takeTurn(ctx, id, true)
	return done, err
}

func (s *Session) takeTurn(ctx context.Context, id string, leaving bool) (context.Context, func(), error) {
	for {
		s.mu.Lock()
		before := s.turns[id]
		if before == nil {
			ctx, cancel := context.WithCancelCause(ctx)
			t := &turn{done: make(chan struct{}), cancel: cancel}
			s.turns[id] = t
			s.mu.Unlock()
			return ctx, func() { s.giveTurn(id, t) }, nil
		}
		s.mu.Unlock()
		if leaving {
			before.cancel(fmt.Errorf("%w: %w", driver.ErrGone, errWithdrawn))
		}
		select {
		case <-before.done:
		case <-ctx.Done():
			return nil, nil, cancelled(ctx)
		}
	}
}

func (s *Session) giveTurn(id string, t *turn) {
	s.mu.Lock()
	delete(s.turns, id)
	s.mu.Unlock()
	t.cancel(nil)
	close(t.done)
}
