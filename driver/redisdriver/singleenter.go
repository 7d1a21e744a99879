package redisdriver

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Enter takes the key, or waits for it: until it is free it comes again, after a while that
// is not the same for all, or when the key is due to expire.
func (s *singleSession) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := checkSingle(c); err != nil {
		return driver.Place{}, err
	}
	p, err := s.enter(ctx, c)
	if err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

func checkSingle(c driver.Claim) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Kind != driver.KindMutex || c.Capacity != 1 || c.Units != 1 {
		return fmt.Errorf("%w: one key is a mutex and nothing else", driver.ErrUnsupported)
	}
	return nil
}

// The while between two looks at a key that is taken: it grows.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 100 * time.Millisecond
)

func (s *singleSession) enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	for look := firstLook; ; look = min(2*look, lastLook) {
		answer, err := s.take(ctx, c)
		switch {
		case err != nil:
			return driver.Place{}, err
		case answer.text(0) == saysGranted:
			return placeOf(c.Line, s.valueOf(c.ID)), nil
		case c.Try:
			return driver.Place{}, &driver.BusyError{Head: placeOf(c.Line, answer.text(1)), Ahead: 1}
		}
		pause := look/2 + rand.N(look/2)
		if left := time.Duration(answer.integer(2)) * time.Millisecond; left >= 0 {
			pause = min(pause, left+time.Millisecond)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return driver.Place{}, context.Cause(ctx)
		case <-s.ctx.Done():
			timer.Stop()
			return driver.Place{}, s.over()
		}
	}
}

// take tries once. It is known as a try before it is sent, so that a renewal beside it
// does not leave the key out.
func (s *singleSession) take(ctx context.Context, c driver.Claim) (reply, error) {
	if err := s.alive(ctx); err != nil {
		return nil, err
	}
	value := s.valueOf(c.ID)
	r := s.request(s.d.scripts.take, c.Line, value, s.ttl.Milliseconds()).awaited()
	s.mu.Lock()
	s.tries[c.ID] = &try{line: c.Line, value: value, sent: r}
	s.mu.Unlock()
	answer, err := s.d.callApart(ctx, r) // drop awaits its answer
	switch err = otherType(c.Line, err); {
	case err != nil:
		if !oneOf(err, driver.ErrUnknownOutcome) {
			s.forget(c.ID)
		}
		return nil, err
	case answer.text(0) != saysGranted:
		s.forget(c.ID)
		return answer, nil
	}
	// The session may have ended while this was under way.
	if err := s.alive(ctx); err != nil {
		_ = s.drop(ctx, c.Line, c.ID)
		return nil, err
	}
	return answer, nil
}

func (s *singleSession) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tries, id)
}

// Wait confirms what stands: Enter has waited.
func (s *singleSession) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	if err := s.alive(ctx); err != nil {
		return driver.Place{}, err
	}
	value, _, err := s.d.peek(ctx, p.Line)
	switch {
	case err != nil:
		return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
	case value != s.valueOf(p.ID):
		return driver.Place{}, gone(p.Line, p.ID)
	}
	return placeOf(p.Line, value), nil
}

// Leave deletes the key if it is this place's.
func (s *singleSession) Leave(ctx context.Context, line, placeID string) error {
	if err := cmp.Or(driver.CheckName(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	if err := s.alive(ctx); err != nil {
		return err
	}
	if err := s.drop(ctx, line, placeID); err != nil {
		return fmt.Errorf("leave %q: %w", line, err)
	}
	return nil
}

// drop deletes a key once nothing is under way any more that would take it.
func (s *singleSession) drop(ctx context.Context, line, id string) error {
	s.mu.Lock()
	t := s.tries[id]
	s.mu.Unlock()
	if err := settled(ctx, t); err != nil {
		return err
	}
	answer, err := s.d.call(ctx, s.request(s.d.scripts.drop, line, s.valueOf(id), ""))
	if err != nil {
		return err
	}
	if t == nil || t.line == line {
		s.forget(id)
	}
	if answer.text(0) != saysOK {
		return answer.refusal(line, id)
	}
	return nil
}

// settled waits until the request of a try has been answered, or has failed.
func settled(ctx context.Context, t *try) error {
	if t == nil {
		return nil
	}
	select {
	case <-t.sent.answered:
		return nil
	default:
	}
	select {
	case <-t.sent.answered:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Swap leaves and enters. Between the two anybody may get the key: that is what it is for.
func (s *singleSession) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := cmp.Or(c.CheckSwap(p), checkSingle(c)); err != nil {
		return driver.Place{}, err
	}
	if err := s.alive(ctx); err != nil {
		return driver.Place{}, err
	}
	value := s.valueOf(c.ID)
	answer, err := s.d.call(ctx, s.request(s.d.scripts.drop, p.Line, s.valueOf(p.ID), value))
	switch {
	case err != nil:
		return driver.Place{}, fmt.Errorf("swap in %q: %w", c.Line, err)
	case answer.text(0) == saysGranted:
		return placeOf(c.Line, value), nil
	case answer.text(0) != saysOK:
		return driver.Place{}, answer.refusal(p.Line, p.ID)
	}
	s.forget(p.ID)
	return s.Enter(ctx, c)
}
