package membership

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/internal/backoff"
)

// replaced is what an older member of the same ID is told when it is asked to go.
const replaced = "a later member has the same ID"

// lastPause is the longest that it waits before another attempt.
const lastPause = time.Second

// keep writes what is newest and returns to the line after a loss, until the membership ends.
func (m *Membership) keep() {
	defer close(m.kept)
	defer m.stop()
	for {
		var err error
		select {
		case <-m.ctx.Done():
			return
		case <-m.news:
			m.write()
		case <-m.stay.Done():
			err = m.comeBack()
		}
		if err != nil {
			m.end(err)
			return
		}
	}
}

// write shows the others what is newest, unless the place is gone: then that comes with the next.
func (m *Membership) write() {
	for failures := 1; ; failures++ {
		value, waiting := m.take()
		err := m.stay.Tell(m.ctx, value)
		if m.stay.Err() != nil || m.ctx.Err() != nil {
			m.untake(waiting) // it comes back with what is newest
			return
		}
		if err == nil || !transient(err) {
			answer(waiting, err)
			return
		}
		m.untake(waiting)
		if backoff.Pause(m.ctx, failures, lastPause) != nil {
			return
		}
	}
}

// comeBack enters the line again, unless the member is to stay away. It returns why.
func (m *Membership) comeBack() error {
	if err := endsWith(m.stay.Err()); err != nil {
		m.goAway(err)
		return err
	}
	for failures := 1; ; failures++ {
		err := m.yieldToLater(m.ctx)
		if err == nil {
			err = m.enter(m.ctx)
		}
		if err == nil || m.ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, ErrReplaced) || errors.Is(err, holdgate.ErrClosed) {
			return err // what else a store refuses, it may take later
		}
		if backoff.Pause(m.ctx, failures, lastPause) != nil {
			return nil
		}
	}
}

// goAway ends the membership, and gives back the place of which that was asked.
func (m *Membership) goAway(asked error) {
	if !m.end(asked) { // first: nobody shall wait for the store to learn of it
		return // Leave gives it back
	}
	if errors.Is(asked, holdgate.ErrClosed) {
		return // the client gives it back
	}
	if !errors.Is(asked, ErrReplaced) { // else the member is there, only another one
		m.farewell(m.ctx)
	}
	_ = m.stay.Leave(m.ctx) // or its session ends
}

// enter takes a place with what is newest, and asks older members of this ID to go.
func (m *Membership) enter(ctx context.Context) error {
	value, waiting := m.take()
	stay, err := m.group.line.Enter(ctx, value)
	if err != nil {
		m.untake(waiting)
		return err
	}
	m.mu.Lock()
	m.stay = stay
	m.mu.Unlock()
	m.token = stay.Token()
	answer(waiting, nil)
	m.tasks.Go(func() { m.replaceOlder(m.ctx, stay) }) // ends with the old ones, or with Leave
	return nil
}

// yieldToLater answers ErrReplaced when somebody else has joined with this ID since this member
// was last in the line: that one stays.
func (m *Membership) yieldToLater(ctx context.Context) error {
	others, err := m.others(ctx)
	if err != nil {
		return err
	}
	for _, other := range others {
		if m.token != 0 && other.Token > m.token {
			return ErrReplaced
		}
	}
	return nil
}

// replaceOlder asks those to go who stand before this member with its ID. Nobody sees them any
// more, but one that is alive has to be told, so that it does not come back.
func (m *Membership) replaceOlder(ctx context.Context, stay *holdgate.Stay) {
	for failures := 1; stay.Err() == nil; failures++ {
		err := m.replaceOnce(ctx, stay)
		if err == nil || !transient(err) || backoff.Pause(ctx, failures, lastPause) != nil {
			return
		}
	}
}

func (m *Membership) replaceOnce(ctx context.Context, stay *holdgate.Stay) error {
	others, err := m.others(ctx)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.Token >= stay.Token() {
			continue // it is later, and asks this one to go; or this one is lost
		}
		err = m.group.client.Evict(ctx, m.group.Name(), other.PlaceID, holdgate.Eviction{Reason: replaced})
		if err != nil && !errors.Is(err, holdgate.ErrNotHeld) {
			return err
		}
	}
	return nil
}

// others are the members of the same ID that joined elsewhere, or in an earlier life.
func (m *Membership) others(ctx context.Context) ([]Member, error) {
	line, err := m.group.client.Line(ctx, m.group.Name())
	if err != nil {
		return nil, err
	}
	var others []Member
	for _, p := range line.Places {
		if other, ok := memberAt(p); ok && other.ID == m.card.ID && other.Incarnation != m.card.Incarnation {
			others = append(others, other)
		}
	}
	return others, nil
}

// transient reports whether another attempt may help.
func transient(err error) bool {
	return errors.Is(err, holdgate.ErrUnavailable) || errors.Is(err, driver.ErrUnknownOutcome)
}
