package holdgate

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// tryTogether locks all names in one transaction, or none.
func (c *Client) tryTogether(ctx context.Context, names []string) (*Hold, error) {
	begun := c.tellAcquiring(ctx, names...)
	holds, err := c.holdAll(ctx, names)
	for i, name := range names {
		var h *Hold
		if err == nil {
			h = holds[i]
		}
		c.tellAcquired(ctx, name, begun, h, err)
	}
	if err != nil {
		return nil, err
	}
	return together(holds), nil
}

// holdAll makes one hold for each name, or none.
func (c *Client) holdAll(ctx context.Context, names []string) ([]*Hold, error) {
	places, err := c.enterAll(ctx, names)
	if err != nil {
		return nil, explain(ctx, inTheWay(err, names), err)
	}
	holds := make([]*Hold, len(places))
	for i, p := range places {
		holds[i] = newHold(ctx, p, nil, 0)
		if err = p.grant(holds[i]); err != nil {
			break
		}
	}
	if err != nil {
		for _, p := range places {
			p.abandon()
		}
		return nil, explain(ctx, names[0], err)
	}
	return holds, nil
}

// inTheWay is the name that an error is about: the first, unless it says another.
func inTheWay(err error, names []string) string {
	var busy *driver.BusyError
	if errors.As(err, &busy) && busy.Head.Line != "" {
		return busy.Head.Line
	}
	return names[0]
}

// enterAll puts a place into each line if all are granted at once. After an error there is
// none, or they are being left in the background.
func (c *Client) enterAll(ctx context.Context, names []string) ([]*ownPlace, error) {
	for _, name := range names {
		c.lines.giveUp(ctx, name)
	}
	retry := c.patience(c.tryLimit())
	for {
		s, err := c.session(ctx)
		if err == nil {
			places := s.registerAll(names)
			if err = s.tryAll(ctx, places, &retry); err == nil {
				return places, nil
			}
		}
		switch {
		case c.ctx.Err() != nil:
			return nil, ErrClosed
		case ctx.Err() != nil, !transient(err):
			return nil, err
		}
		if err = retry.pause(ctx, err); err != nil {
			return nil, err
		}
	}
}

// registerAll makes the places known before they are sent (I4). There are none when the
// session is over.
func (s *session) registerAll(names []string) []*ownPlace {
	places := make([]*ownPlace, 0, len(names))
	for _, name := range names {
		claim := s.client.claim(name, driver.KindMutex, 1, 1)
		claim.Try = true
		p := s.register(claim, nil)
		if p == nil {
			return nil
		}
		places = append(places, p)
	}
	return places
}

// tryAll sends the claims until they are answered, under the same IDs.
func (s *session) tryAll(ctx context.Context, places []*ownPlace, retry *patience) error {
	if len(places) == 0 {
		return errSessionOver
	}
	session, ok := s.drv.(driver.AllTrier)
	if !ok {
		return fmt.Errorf("%w: %s declares TryAll and has none", ErrUnsupported, s.client.features.Store)
	}
	claims := make([]driver.Claim, len(places))
	for i, p := range places {
		claims[i] = p.claim
	}
	for {
		call, done := s.bound(ctx)
		at, err := session.TryAll(call, claims)
		done()
		switch {
		case err == nil:
			return takeAll(places, at)
		case s.failed(err):
			return errSessionOver
		case definite(err) && ctx.Err() == nil:
			for _, p := range places {
				p.drop()
			}
			return err
		case ctx.Err() != nil:
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case transient(err):
			if err = retry.pause(ctx, err); err == nil {
				continue
			}
		}
		for _, p := range places {
			p.abandon()
		}
		return err
	}
}

// takeAll notes what the store answered, in the order of the claims.
func takeAll(places []*ownPlace, at []driver.Place) error {
	for i, p := range places {
		if !p.take(at[i]) {
			return errSessionOver
		}
	}
	return nil
}
