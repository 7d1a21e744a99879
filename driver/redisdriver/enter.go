package redisdriver

import (
	"context"
	"fmt"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

// Enter puts a place at the end of a line.
func (s *session) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := c.Check(); err != nil {
		return driver.Place{}, err
	}
	args := addClaim(append(make([]any, 0, 8), s.id, flag(c.Try)), c)
	r := newRequest(s.d.scripts.enter, s.d.keys.ofClaim(s.id, c.Line), args...)
	r.simple = simple{session: s.id, line: c.Line, claim: true, args: args[2:]}
	p, err := s.enter(ctx, c, r)
	if oneOf(err, errFewReplicas) {
		err = s.undo(ctx, err, c)
	}
	if err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

// Swap leaves p and enters c at the end of the same line.
func (s *session) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := c.CheckSwap(p); err != nil {
		return driver.Place{}, err
	}
	args := addClaim([]any{s.id, p.ID}, c)
	after, err := s.enter(ctx, c, newRequest(s.d.scripts.swap, s.d.keys.ofClaim(s.id, c.Line), args...))
	if err == nil || oneOf(err, driver.ErrGone) {
		s.forget(p.ID)
	}
	if err != nil {
		return driver.Place{}, fmt.Errorf("swap in %q: %w", c.Line, err)
	}
	return after, nil
}

// addClaim adds what lua/claim.lua reads of a claim.
func addClaim(args []any, c driver.Claim) []any {
	return append(args, c.Line, c.ID, string(c.Kind),
		strconv.FormatInt(c.Capacity, 10), strconv.FormatInt(c.Units, 10), string(c.Data))
}

// enter runs a script that makes a place. What the store tells of the place while the
// answer is under way is not missed: its turn begins before.
func (s *session) enter(ctx context.Context, c driver.Claim, r *request) (driver.Place, error) {
	t := s.expect(c.ID)
	answer, err := s.call(ctx, r)
	if err == nil && answer.text(0) != saysGranted && answer.text(0) != saysWaiting {
		err = answer.refusal(c.Line, c.ID)
	}
	var p driver.Place
	if err == nil {
		p, err = s.entered(c, answer)
	}
	if err != nil {
		s.unanswered(c.ID, t, err)
		return driver.Place{}, err
	}
	return s.answered(t, p), nil
}

// entered reads the place that a claim has made, or that stood from an earlier one.
func (s *session) entered(c driver.Claim, r reply) (driver.Place, error) {
	p := driver.Place{
		Line: c.Line, ID: c.ID, Session: s.id, Owner: s.owner, TTL: s.ttl,
		Kind: c.Kind, Capacity: c.Capacity, Units: c.Units,
		Version: 1,
	}
	if len(c.Data) > 0 {
		p.Data = []byte(string(c.Data))
	}
	if order := r.text(1); order != "" {
		p.Order = uint64(number(order))
	} else {
		var err error
		if p, err = shownPlace(c.Line, r.list(2)); err != nil {
			return driver.Place{}, err
		}
	}
	p.Granted = r.text(0) == saysGranted
	return p, nil
}

// TryAll enters all claims, or none.
func (s *session) TryAll(ctx context.Context, claims []driver.Claim) ([]driver.Place, error) {
	if err := checkAll(claims); err != nil {
		return nil, err
	}
	keys, args := s.d.keys.ofClaim(s.id, claims[0].Line), []any{s.id}
	for i, c := range claims {
		args = addClaim(args, c)
		if i > 0 && len(keys) > 1 {
			keys = append(keys, s.d.keys.line(c.Line), s.d.keys.order(c.Line), s.d.keys.waiting(c.Line))
		}
	}
	answer, err := s.call(ctx, newRequest(s.d.scripts.tryAll, keys, args...))
	if err == nil && answer.text(0) != saysAll {
		err = answer.refusal(claims[0].Line, claims[0].ID)
	}
	if err != nil {
		for _, c := range claims {
			s.doubt(c.ID, err)
		}
		if oneOf(err, errFewReplicas) {
			err = s.undo(ctx, err, claims...)
		}
		return nil, fmt.Errorf("try all of %d lines: %w", len(claims), err)
	}
	places := make([]driver.Place, len(claims))
	for i, c := range claims {
		if places[i], err = s.entered(c, answer.list(i+1)); err != nil {
			return nil, err
		}
	}
	return places, nil
}

func checkAll(claims []driver.Claim) error {
	if len(claims) == 0 {
		return fmt.Errorf("%w: no claims", driver.ErrInvalid)
	}
	lines := make(map[string]bool, len(claims))
	for _, c := range claims {
		if err := c.Check(); err != nil {
			return err
		}
		if lines[c.Line] {
			return fmt.Errorf("%w: two claims for line %q", driver.ErrInvalid, c.Line)
		}
		lines[c.Line] = true
	}
	return nil
}
