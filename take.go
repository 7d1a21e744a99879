package holdgate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// claim asks for so many units of a line of this kind and capacity.
func (c *Client) claim(name string, kind driver.Kind, capacity, units int64) driver.Claim {
	return driver.Claim{
		Line: name, Kind: kind, Capacity: capacity, Units: units,
		Data: c.blank,
	}
}

// take gets a hold: first come, first served over all processes, but for readers of one
// process, who share a place for a bounded time.
func (c *Client) take(ctx context.Context, claim driver.Claim) (*Hold, error) {
	if err := c.checkTake(ctx, claim); err != nil {
		return nil, err
	}
	begun := c.tellAcquiring(ctx, claim.Line)
	if claim.Try {
		bounded, done := c.within(ctx, c.tryLimit())
		defer done()
		ctx = bounded
	}
	h, err := c.stand(ctx, claim)
	if err != nil {
		err = explain(ctx, claim.Line, err)
	}
	c.tellAcquired(ctx, claim.Line, begun, h, err)
	return h, err
}

// stand holds by a place of its own or, to read, by one that the readers of this process
// share.
func (c *Client) stand(ctx context.Context, claim driver.Claim) (*Hold, error) {
	if claim.Kind == driver.KindRW && claim.Units == reader && !c.opts.Handoff.Strict {
		return c.read(ctx, claim)
	}
	return c.hold(ctx, claim)
}

// checkTake refuses what can be refused without asking the store.
func (c *Client) checkTake(ctx context.Context, claim driver.Claim) error {
	if err := checkName(claim.Line); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return notAcquired(claim.Line, context.Cause(ctx))
	}
	if claim.Capacity > 1 && !c.features.Shared {
		return fmt.Errorf("%w: %s has only exclusive locks", ErrUnsupported, c.features.Store)
	}
	return waitsForItself(ctx, c, claim)
}

// waitsForItself refuses a claim that cannot be granted before a hold has ended to which
// ctx belongs. A second read lock is one: a writer may stand between the two. Permits of a
// semaphore may be taken one after the other, as long as there can be enough of them, and who
// is present waits for nobody.
func waitsForItself(ctx context.Context, c *Client, claim driver.Claim) error {
	if claim.Kind == driver.KindPresence {
		return nil
	}
	if claim.Kind != driver.KindSemaphore {
		if heldBy(ctx, c, claim.Line) == nil {
			return nil
		}
		return fmt.Errorf("%w: the context belongs to a hold of %q", ErrDeadlock, claim.Line)
	}
	var has int64
	for h := range holdsOf(ctx) {
		if h.place.session.client == c && h.Name() == claim.Line && h.Err() == nil {
			has += h.place.claim.Units
		}
	}
	if has > claim.Capacity-claim.Units {
		return fmt.Errorf("%w: the context belongs to holds of %d permits of %q; of %d, another %d are never free",
			ErrDeadlock, has, claim.Line, claim.Capacity, claim.Units)
	}
	return nil
}

// explain turns what the store or the line said into what the caller is told.
func explain(ctx context.Context, name string, err error) error {
	var busy *driver.BusyError
	switch {
	case errors.As(err, &busy):
		return &BusyError{Name: name, Holder: newPlace(busy.Head), Ahead: busy.Ahead}
	case errors.Is(err, ErrBusy):
		return err
	case ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)):
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return notAcquired(name, err)
}

// tellAcquiring tells the observer that taking these locks begins, and returns when that is.
// The clock is not read for nobody.
func (c *Client) tellAcquiring(ctx context.Context, names ...string) (begun time.Duration) {
	if !c.observed() {
		return 0
	}
	for _, name := range names {
		c.emit(Event{Type: EventAcquiring, Name: name, Context: ctx})
	}
	return c.clock.Now()
}

// tellAcquired tells the observer how taking a lock ended that was begun at this time.
func (c *Client) tellAcquired(ctx context.Context, name string, begun time.Duration, h *Hold, err error) {
	if !c.observed() {
		return
	}
	e := Event{Type: EventAcquired, Name: name, Took: c.clock.Now() - begun, Err: err, Context: ctx}
	if err == nil {
		e.Session, e.PlaceID, e.Token = h.place.session.drv.ID(), h.PlaceID(), h.token
	}
	c.emit(e)
}
