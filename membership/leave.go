package membership

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
)

// lastWords is how long a Leave whose context has ended waits for the store: within the 50 ms
// in which every call returns.
const lastWords = 45 * time.Millisecond

// Leave ends the membership, and returns when the store does not have it any more. From the
// moment it is called the member does not come back, whatever was under way.
//
// It works with a cancelled context. When ctx ends before the store has answered, Leave goes
// on in the background until the member is gone or its session has ended, and the error says
// so. When the membership had ended before it answers as Err does.
func (m *Membership) Leave(ctx context.Context) error {
	if !m.end(ErrLeft) {
		return m.Err()
	}
	m.stop()
	gone := make(chan error, 1)
	go func() { gone <- m.goodbye(ctx) }() // ends when a few attempts were made
	select {
	case err := <-gone:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case err := <-gone:
		return err
	case <-timer.C:
		return fmt.Errorf("leave %q: it goes on in the background: %w", m.group.Name(), context.Cause(ctx))
	}
}

// goodbye tells that the member leaves, and then gives its place back: who sees it gone finds
// the farewell.
func (m *Membership) goodbye(ctx context.Context) error {
	<-m.kept // soon: all that the keeper waits for ends with its context
	m.tasks.Wait()
	m.farewell(context.WithoutCancel(ctx))
	err := m.stay.Leave(ctx)
	if errors.Is(err, holdgate.ErrLost) || errors.Is(err, holdgate.ErrClosed) {
		return nil // it was gone already
	}
	return err
}
