package memdriver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// The way of a request to the store, and of its answer back.

// errRefused says that the link refuses, errLost that the answer is lost.
var (
	errRefused = errors.New("connection refused")
	errLost    = errors.New("answer lost")
)

// send takes a request as far as the store. An error means that the store does not
// see it.
func (d *Driver) send(ctx context.Context, c Call, f Fault) error {
	d.standStill()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", c.Op, context.Cause(ctx))
	}
	if err := d.pass(ctx, c.Op); err != nil {
		if errors.Is(err, errRefused) {
			return fmt.Errorf("%w: %s: %w", driver.ErrUnavailable, c.Op, err)
		}
		return err
	}
	switch {
	case f.Err != nil:
		if err := d.sleep(ctx, c.Op, f.Delay+f.AnswerDelay); err != nil {
			return err
		}
		return f.Err
	case f.Lose == LoseRequest && f.Hang:
		return d.await(ctx, c.Op, nil)
	case f.Lose == LoseRequest:
		return fmt.Errorf("%w: %s: request lost", driver.ErrUnavailable, c.Op)
	case !c.Op.Writes():
		return d.sleep(ctx, c.Op, f.Delay) // a read that lands late changes nothing
	}
	return nil
}

// receive takes an answer back to the caller. An error means that it does not
// arrive.
func (d *Driver) receive(ctx context.Context, c Call, f Fault) error {
	if f.Lose == LoseAnswer {
		if f.Hang {
			return d.await(ctx, c.Op, nil)
		}
		return d.lost(ctx, c.Op, errLost)
	}
	if err := d.sleep(ctx, c.Op, f.AnswerDelay); err != nil {
		return err
	}
	err := d.pass(ctx, c.Op)
	if errors.Is(err, errRefused) {
		return d.lost(ctx, c.Op, err)
	}
	return err
}

// pass waits until the process runs and the link lets something through.
func (d *Driver) pass(ctx context.Context, op Op) error {
	for {
		d.standStill()
		state, changed := d.link.watch()
		switch state {
		case LinkUp:
			return nil
		case LinkRefuses:
			return errRefused
		case linkClosed:
			return driver.ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ended(ctx, op)
		}
	}
}

// standStill returns when the process runs. A process that is stopped does not see
// its contexts end; but it can be killed, which is what closing its handle is.
func (d *Driver) standStill() {
	for d.clock != nil {
		goesOn := d.clock.stopped()
		state, changed := d.link.watch()
		if goesOn == nil || state == linkClosed {
			return
		}
		select {
		case <-goesOn:
		case <-changed:
		}
	}
}

// sleep waits for the network, which is slow by the true time.
func (d *Driver) sleep(ctx context.Context, op Op, length time.Duration) error {
	if length <= 0 {
		return nil
	}
	over := make(chan struct{})
	timer := time.AfterFunc(length, func() { close(over) })
	defer timer.Stop()
	return d.await(ctx, op, over)
}

// await waits for an event on the way; nil never happens. What the link does
// meanwhile is seen by pass.
func (d *Driver) await(ctx context.Context, op Op, event <-chan struct{}) error {
	return d.until(ctx, op, event, false)
}

// listen waits for an event that the store pushes. A link that refuses ends it.
func (d *Driver) listen(ctx context.Context, op Op, event <-chan struct{}) error {
	return d.until(ctx, op, event, true)
}

func (d *Driver) until(ctx context.Context, op Op, event <-chan struct{}, pushed bool) error {
	for {
		state, changed := d.link.watch()
		switch {
		case state == linkClosed:
			return driver.ErrClosed
		case state == LinkRefuses && pushed:
			return d.lost(ctx, op, errRefused)
		}
		select {
		case <-event:
			return nil
		case <-changed:
			continue
		case <-ctx.Done():
		}
		select {
		case <-event: // both at once: what happened is told
			return nil
		default:
			return ended(ctx, op)
		}
	}
}

// ended says that a call that may have been sent ended with its context.
func ended(ctx context.Context, op Op) error {
	if op.Writes() {
		return fmt.Errorf("%w: %s: %w", driver.ErrUnknownOutcome, op, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", op, context.Cause(ctx))
}

// lost says that an answer does not come, unless the caller gave up before.
func (d *Driver) lost(ctx context.Context, op Op, cause error) error {
	switch {
	case d.link.load() == linkClosed:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ended(ctx, op)
	case op.Writes():
		return fmt.Errorf("%w: %s: %w", driver.ErrUnknownOutcome, op, cause)
	}
	return fmt.Errorf("%w: %s: %w", driver.ErrUnavailable, op, cause)
}
