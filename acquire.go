package holdgate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// acquire enters a line and waits until the place is granted, on whatever session is
// alive. It returns a granted place or, after an error, leaves none.
func (c *Client) acquire(ctx context.Context, claim driver.Claim) (*ownPlace, error) {
	for {
		p, err := c.stepIn(ctx, claim)
		if err != nil {
			return nil, err
		}
		if p.granted() {
			return p, nil
		}
		p.waitsWith(ctx)
		quiet := c.reportWait(ctx, claim.Line, p.ahead)
		err = p.wait(ctx)
		quiet()
		switch {
		case err == nil:
			return p, nil
		case !errors.Is(err, errSessionOver):
			return nil, err
		}
	}
}

// enter puts a new place in a line, which may then be granted or wait. It opens a
// session when there is none, and tries again while the store is away: a Lock for
// one TTL, a try for one attempt. After an error there is no place, or one
// that is being left in the background.
func (c *Client) enter(ctx context.Context, claim driver.Claim, line *localLine) (*ownPlace, error) {
	retry := c.patience(c.opts.TTL)
	if claim.Try {
		retry.limit = c.tryLimit()
	}
	for {
		s, err := c.session(ctx)
		if err == nil {
			if p := s.register(claim, line); p != nil {
				if err = p.enter(ctx, &retry); err == nil {
					return p, nil
				}
			} else {
				err = errSessionOver
			}
		}
		switch {
		case c.ctx.Err() != nil:
			return nil, ErrClosed
		case ctx.Err() != nil, !transient(err) && !errors.Is(err, errSessionOver):
			return nil, err
		}
		if err = retry.pause(ctx, err); err != nil {
			return nil, err
		}
	}
}

// enter sends the claim until it is answered. With the same ID a repetition is the
// same place, so that an answer that was lost does no harm.
func (p *ownPlace) enter(ctx context.Context, retry *patience) error {
	waits := p.session.client.features.Layout == driver.LayoutSingle && !p.claim.Try
	for {
		call := p.begin(ctx, false)
		at, err := p.session.drv.Enter(call, p.claim)
		p.finish()
		if err == nil {
			if !p.take(at) {
				return errSessionOver
			}
			return nil
		}
		switch {
		case p.session.failed(err):
			return errSessionOver
		case definite(err) && ctx.Err() == nil:
			p.drop()
			return err
		case ctx.Err() != nil:
			p.abandon()
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case !transient(err):
			p.abandon()
			return err
		}
		if waits && errors.Is(err, errNoAnswer) {
			retry.startAnew() // it may only not have been its turn
		}
		if err = retry.pause(ctx, err); err != nil {
			p.abandon()
			return err
		}
	}
}

// wait returns when the place is granted. While the store is away it goes on: the
// end of the session, or of ctx, bounds it. After an error the place is gone, or is
// being left.
func (p *ownPlace) wait(ctx context.Context) error {
	clock := p.session.client.clock
	retry := p.session.client.patience(forever)
	p.session.tellLater(p.heldAround())
	for {
		begun := clock.Now()
		call := p.begin(ctx, true)
		at, err := p.session.drv.Wait(call, p.last())
		p.finish()
		switch {
		case err == nil && !p.take(at):
			return errSessionOver
		case err == nil && at.Granted:
			return nil
		case err == nil:
			retry.failures = 0
			continue // woken too early: a grant is what the place says, not the wake-up
		case p.session.failed(err):
			return errSessionOver
		case ctx.Err() != nil:
			p.abandon()
			return context.Cause(ctx)
		case errors.Is(err, driver.ErrGone):
			p.drop()
			return errRemoved
		case !transient(err):
			p.abandon()
			return err
		}
		if clock.Now()-begun > time.Second {
			retry.failures = 0 // it waited well in between: this is another outage
		}
		if err = retry.pause(ctx, err); err != nil && p.session.over.Load() {
			return errSessionOver
		}
	}
}
