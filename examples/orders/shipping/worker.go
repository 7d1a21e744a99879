package shipping

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// Worker ships orders, beside others who do the same.
type Worker struct {
	Name   string
	Locks  *holdgate.Client
	Orders *Orders
	// Pack is what takes time, and happens outside of the database. Its context ends when
	// the lock is lost.
	Pack func(ctx context.Context, order int64) error
	Log  *slog.Logger
}

// Run ships until no order is pending.
func (w *Worker) Run(ctx context.Context) error {
	for {
		pending, err := w.Orders.Pending(ctx)
		if err != nil || len(pending) == 0 {
			return err
		}
		shipped, err := w.sweep(ctx, pending)
		if err != nil {
			return err
		}
		if shipped > 0 {
			continue
		}
		// Others have all of them. One may never finish: stand in line behind it.
		if err = w.ship(ctx, pending[0], w.lock(pending[0]).Lock); err != nil {
			return err
		}
	}
}

// sweep ships those that nobody else is about to.
func (w *Worker) sweep(ctx context.Context, pending []int64) (shipped int, err error) {
	for _, id := range pending {
		err = w.ship(ctx, id, w.lock(id).TryLock)
		switch {
		case err == nil:
			shipped++
		case !errors.Is(err, holdgate.ErrBusy):
			return shipped, err
		}
	}
	return shipped, nil
}

func (w *Worker) lock(id int64) holdgate.Mutex { return w.Locks.Mutex(fmt.Sprintf("orders/%d", id)) }

// ship ships one order under its lock. That the lock was lost is no failure of the worker: whoever
// has it ships the order.
func (w *Worker) ship(ctx context.Context, id int64, lock func(context.Context) (*holdgate.Hold, error)) error {
	hold, err := lock(ctx)
	if err != nil {
		return err
	}
	err = w.shipHeld(ctx, hold, id)
	if errors.Is(err, holdgate.ErrLost) || errors.Is(err, fence.ErrStale) {
		w.Log.LogAttrs(ctx, slog.LevelWarn, "too late", slog.Int64("order", id), slog.Any("err", err))
		err = nil
	}
	if failed := hold.Release(ctx); failed != nil && !errors.Is(failed, holdgate.ErrLost) {
		err = errors.Join(err, failed)
	}
	return err
}

func (w *Worker) shipHeld(ctx context.Context, hold *holdgate.Hold, id int64) error {
	// The token is taken once, before the work: whatever happens meanwhile, what is
	// written at the end is written for this grant.
	pass, err := fence.Of(hold)
	if err != nil {
		return err
	}
	// Who had the lock before may have shipped it.
	shipped, err := w.Orders.Shipped(ctx, id)
	if err != nil || shipped {
		return err
	}
	if err = w.Pack(hold.Context(), id); err != nil { //nolint:contextcheck // the hold's own: it ends with the lock
		return err
	}
	// A worker that is paused here, or anywhere since, finds the door closed.
	if err = w.Orders.Ship(ctx, pass, id, w.Name); err != nil {
		return err
	}
	w.Log.LogAttrs(ctx, slog.LevelInfo, "shipped", slog.Int64("order", id), slog.Any("token", pass.Token))
	return nil
}
