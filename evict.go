package holdgate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// errStillThere: an eviction was asked for, and the place still stands.
var errStillThere = errors.New("the holder was asked to go, and still holds")

// Evict asks a place to go, and returns when it has. One that waits is removed at
// once, and told that it is, but not why. The holder of one that is granted is told by its next renewal, with the
// reason, and has until the end of its trust to release; if it has not by then,
// the place is removed: its holder has seen the mark, or has lost its trust. Where
// nothing expires by time (files), only the holder can leave.
//
// When ctx ends first, the mark stays, and the error says that the place stands.
// With Force the place is removed at once, and its holder may believe for a while
// that it holds: two may then act at once. Places of other software go only by
// Force. A place that is not there answers ErrNotHeld.
func (c *Client) Evict(ctx context.Context, name, placeID string, e Eviction) error {
	if err := checkName(name); err != nil {
		return err
	}
	line, err := c.line(ctx, name)
	if err != nil {
		return fmt.Errorf("evict from %q: %w", name, err)
	}
	i := line.Find(placeID)
	if i < 0 {
		return fmt.Errorf("%w: %q has no place %q", ErrNotHeld, name, placeID)
	}
	mark := driver.Eviction{Line: name, PlaceID: placeID, Reason: e.Reason, By: c.opts.Owner, Force: e.Force}
	if err = c.evict(ctx, mark); err != nil {
		return fmt.Errorf("evict from %q: %w", name, err)
	}
	if e.Force {
		return nil
	}
	return c.evicted(ctx, mark, line.Places[i].TTL)
}

// evict sends one eviction until it is answered; a second mark changes nothing.
func (c *Client) evict(ctx context.Context, e driver.Eviction) error {
	retry := c.patience(c.opts.TTL)
	for {
		attempt, stop := c.within(ctx, attemptTime(c.opts.TTL))
		err := c.drv.Evict(attempt, e.Line, e.PlaceID, e)
		stop()
		switch {
		case err == nil, errors.Is(err, driver.ErrGone):
			return nil // gone is what was asked for
		case !transient(err) || ctx.Err() != nil:
			return err
		}
		if err = retry.pause(ctx, err); err != nil {
			return err
		}
	}
}

// evicted waits until the marked place is gone, and removes it when its session's TTL
// has passed since the mark was certainly written: counted from its answer.
func (c *Client) evicted(ctx context.Context, mark driver.Eviction, ttl time.Duration) error {
	watch, due := context.WithCancelCause(ctx)
	defer due(nil)
	if ttl > 0 {
		defer c.clock.AfterFunc(ttl+c.features.ExpirySlack, func() { due(errDue) })()
	}
	for failures := 1; watch.Err() == nil; failures++ {
		for s, err := range c.drv.Watch(watch, driver.Query{Name: mark.Line}) {
			if err != nil {
				break
			}
			if len(s.Lines) == 0 || s.Lines[0].Find(mark.PlaceID) < 0 {
				return nil
			}
		}
		_ = sleep(watch, c.clock, c.backoff(failures))
	}
	if !errors.Is(context.Cause(watch), errDue) {
		return fmt.Errorf("%w: %w", errStillThere, context.Cause(ctx))
	}
	mark.Force = true
	return c.evict(ctx, mark)
}

// errDue: a marked place has had its time.
var errDue = errors.New("the time of the marked place is over")
