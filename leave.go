package holdgate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// farewell is how long a release whose context has already ended waits for the
// store's answer. Within the 50 ms in which every call returns.
const farewell = 40 * time.Millisecond

// leave gives the place back and returns when the store has confirmed it. When ctx
// ends first, or the store does not answer, the place is left in the background,
// until it is gone or the session has ended: then the store has removed it.
func (p *ownPlace) leave(ctx context.Context) error {
	if !p.startLeaving() {
		return errSessionOver
	}
	var refused error
	if ctx.Err() == nil {
		done, err := p.tryLeave(ctx)
		if done {
			return err
		}
		if !transient(err) && ctx.Err() == nil {
			refused = err // it may go on for long: nobody waits for that
		}
	}
	answer := make(chan error, 1)
	c := p.session.client
	if !c.task(func() { answer <- p.keepLeaving() }) {
		return ErrClosed
	}
	if refused != nil {
		return fmt.Errorf("%w: %w", errBackground, refused)
	}
	gone := ctx.Done()
	if ctx.Err() != nil {
		patience, stop := c.within(context.WithoutCancel(ctx), farewell)
		defer stop()
		gone = patience.Done()
	}
	select {
	case err := <-answer:
		return err
	case <-gone:
		return fmt.Errorf("%w: %w", errBackground, context.Cause(ctx))
	}
}

// errBackground: a release goes on though nobody waits for it.
var errBackground = errors.New("the release goes on in the background")

// abandon leaves a place that may or may not stand, in the background.
func (p *ownPlace) abandon() {
	if p.startLeaving() {
		p.session.client.task(func() { _ = p.keepLeaving() }) // ends with the session
	}
}

// startLeaving makes sure that nothing is granted on the place any more. It reports
// false when there is nothing to leave.
func (p *ownPlace) startLeaving() bool {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	p.leaving = true
	p.holders.clear()
	return !s.over.Load() && s.places[p.claim.ID] == p
}

// keepLeaving tries until the place is known to be gone.
func (p *ownPlace) keepLeaving() error {
	s := p.session
	for failures := 1; ; failures++ {
		attempt, stop := s.attempt()
		done, err := p.tryLeave(attempt)
		stop()
		if done {
			return err
		}
		if failures == 1 {
			s.client.opts.Logger.LogAttrs(s.ctx, slog.LevelInfo, "release retried",
				slog.String("name", p.claim.Line), slog.String("place", p.claim.ID), slog.Any("error", err))
		}
		if sleep(s.ctx, s.client.clock, s.client.backoff(failures)) != nil {
			return errSessionOver
		}
	}
}

// tryLeave sends one Leave, and reports whether the place is now known to be gone. A
// place that was gone before, with no lost answer to explain it, is errRemoved.
func (p *ownPlace) tryLeave(ctx context.Context) (done bool, err error) {
	s := p.session
	call := p.begin(ctx, false)
	err = s.drv.Leave(call, p.claim.Line, p.claim.ID)
	p.finish()
	switch {
	case err == nil:
		p.drop()
		return true, nil
	case errors.Is(err, driver.ErrGone):
		unsure := p.isUnsure()
		p.drop()
		if unsure {
			return true, nil
		}
		return true, errRemoved
	case s.failed(err):
		return true, errSessionOver
	}
	p.setUnsure()
	return false, err
}

func (p *ownPlace) isUnsure() bool {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.unsure || !p.answered
}

func (p *ownPlace) setUnsure() {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.unsure = true
}

// swap leaves the place and enters the same line again, at the end, in one step. It
// returns the new place. It runs on the session's own time: a waiter that gives up
// does not stop it. With an error the old place is gone or being left.
func (p *ownPlace) swap(claim driver.Claim) (*ownPlace, error) {
	s := p.session
	if !p.startLeaving() {
		return nil, errSessionOver
	}
	next := s.register(claim, p.line)
	if next == nil {
		return nil, errSessionOver
	}
	retry := s.client.patience(forever)
	for {
		call := next.begin(s.ctx, false)
		at, err := s.drv.Swap(call, p.last(), next.claim)
		next.finish()
		switch {
		case err == nil:
			p.drop()
			if !next.take(at) {
				return nil, errSessionOver
			}
			return next, nil
		case s.failed(err):
			return nil, errSessionOver
		case errors.Is(err, driver.ErrGone):
			p.drop()
			next.drop()
			return nil, errRemoved
		case definite(err):
			next.drop()
			p.abandon()
			return nil, err
		case !transient(err):
			next.abandon()
			p.abandon()
			return nil, err
		}
		if retry.pause(s.ctx, err) != nil {
			return nil, errSessionOver
		}
	}
}
