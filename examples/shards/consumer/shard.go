package consumer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// consume consumes a shard until ctx ends: whenever it has the lock, event by event.
func (c *Consumer) consume(ctx context.Context, shard int) {
	for ctx.Err() == nil {
		err := c.underLock(ctx, shard)
		if err == nil || ctx.Err() != nil && errors.Is(err, holdgate.ErrNotAcquired) {
			continue // it was given up
		}
		level := slog.LevelError
		if errors.Is(err, holdgate.ErrLost) || errors.Is(err, fence.ErrStale) {
			level = slog.LevelWarn // whoever has it now goes on
		}
		c.Log.LogAttrs(ctx, level, "shard", slog.Int("shard", shard), slog.Any("err", err))
		c.pause(ctx)
	}
}

// underLock waits for the lock, and consumes the shard until it is lost or to be given up.
func (c *Consumer) underLock(ctx context.Context, shard int) (err error) {
	hold, err := c.lock(shard).Lock(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if failed := hold.Release(context.WithoutCancel(ctx)); err == nil {
			err = failed
		}
	}()
	for ctx.Err() == nil {
		more, err := c.next(hold.Context(), hold, shard) //nolint:contextcheck // the hold's own: it ends with the lock
		switch {
		case err != nil:
			return err
		case !more:
			c.pause(ctx)
		}
	}
	return nil
}

// next consumes one event, and reports whether there was one. It runs on the hold's own context: a
// shard that is to be given up ends after an event, and one whose lock is lost at once.
func (c *Consumer) next(ctx context.Context, hold *holdgate.Hold, shard int) (more bool, err error) {
	// The token is taken once, before the work: whatever happens meanwhile, the position is
	// written for this grant.
	pass, err := fence.Of(hold)
	if err != nil {
		return false, err
	}
	e, more, err := c.Stream.Next(ctx, shard)
	if err != nil || !more {
		return false, err
	}
	if err = c.Handle(ctx, e); err != nil {
		return false, err
	}
	// A member that is paused here, or anywhere since, finds the door closed. That is for the database to
	// say: what it has begun is not cut off when the lock is lost.
	return true, c.Stream.Done(context.WithoutCancel(ctx), pass, e, c.Name)
}

func (c *Consumer) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(c.Poll):
	}
}
