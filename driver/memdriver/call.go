package memdriver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// errRefused says that the link refuses. Whether that means "not done" or "not
// known" depends on the side of the step it is met on.
var errRefused = errors.New("connection refused")

// call takes a step of the store through all that stands between it and a handle:
// a stopped process, a link that is down, and an injected fault. The places that
// the step may make are named, so that a Leave can overtake it.
func call[T any](ctx context.Context, d *Driver, c Call, step func(*state) (T, error), makes ...spot) (T, error) {
	v, err := exchange(ctx, d, c, step, makes)
	d.standStill()
	return v, err
}

func exchange[T any](ctx context.Context, d *Driver, c Call, step func(*state) (T, error), makes []spot) (T, error) {
	var none T
	f := d.inject(c)
	if err := d.send(ctx, c, f); err != nil {
		return none, err
	}
	v, err := apply(ctx, d, c, f, step, makes)
	if err := d.receive(ctx, c, f); err != nil {
		return none, err
	}
	return v, err
}

// apply runs the step: now, or when the delayed request lands, whether or not the
// caller is still there by then.
func apply[T any](ctx context.Context, d *Driver, c Call, f Fault, step func(*state) (T, error), makes []spot) (T, error) {
	if f.Delay <= 0 {
		st := d.store.begin()
		v, err := step(st)
		d.store.end()
		f.applied()
		return v, err
	}
	type answer struct {
		v   T
		err error
	}
	answers := make(chan answer, 1)
	land := d.store.depart(c.Session, f, makes)
	time.AfterFunc(f.Delay, func() {
		var a answer
		st := d.store.begin()
		if a.err = land(); a.err == nil {
			a.v, a.err = step(st)
		}
		d.store.end()
		f.applied()
		answers <- a
	})
	var none T
	for {
		state, changed := d.link.watch()
		if state == linkClosed {
			return none, driver.ErrClosed
		}
		select {
		case a := <-answers:
			return a.v, a.err
		case <-changed:
		case <-ctx.Done():
			return none, ended(ctx, c.Op)
		}
	}
}

// depart registers a delayed request, and returns what to ask when it lands.
func (s *Store) depart(session string, f Fault, makes []spot) (land func() error) {
	st := s.begin()
	defer s.end()
	r := st.sessions[session]
	if r == nil || f.Stray || len(makes) == 0 {
		return func() error { return nil }
	}
	fl := r.depart(makes)
	return func() error {
		if r.land(fl) {
			return nil
		}
		return gone(makes[0].line, makes[0].id)
	}
}

// send takes a request as far as the store. An error means that the store does not
// see it.
func (d *Driver) send(ctx context.Context, c Call, f Fault) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", c.Op, context.Cause(ctx))
	}
	if err := d.pass(ctx, c.Op); err != nil {
		if errors.Is(err, errRefused) {
			return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
		}
		return err
	}
	switch {
	case f.Err != nil:
		if err := d.sleep(ctx, c.Op, f.Delay+f.AnswerDelay); err != nil {
			return err
		}
		return f.Err
	case f.Lose != LoseRequest:
		return nil
	case f.Hang:
		return d.hang(ctx, c.Op)
	}
	return fmt.Errorf("%w: request lost", driver.ErrUnavailable)
}

// receive takes an answer back to the caller. An error means that it did not arrive.
func (d *Driver) receive(ctx context.Context, c Call, f Fault) error {
	switch {
	case f.Lose != LoseAnswer:
	case f.Hang:
		return d.hang(ctx, c.Op)
	default:
		return lost(c.Op, errors.New("answer lost"))
	}
	if err := d.sleep(ctx, c.Op, f.AnswerDelay); err != nil {
		return err
	}
	err := d.pass(ctx, c.Op)
	if errors.Is(err, errRefused) {
		return lost(c.Op, err)
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
		stopped := d.clock.stopped()
		state, changed := d.link.watch()
		if stopped == nil || state == linkClosed {
			return
		}
		select {
		case <-stopped:
		case <-changed:
		}
	}
}

// hang waits for the end of the context, or of the handle.
func (d *Driver) hang(ctx context.Context, op Op) error {
	return d.await(ctx, op, nil)
}

// sleep waits for d on the true clock: it is the network that is slow.
func (d *Driver) sleep(ctx context.Context, op Op, length time.Duration) error {
	if length <= 0 {
		return nil
	}
	arrived := make(chan struct{})
	timer := time.AfterFunc(length, func() { close(arrived) })
	defer timer.Stop()
	return d.await(ctx, op, arrived)
}

// await waits for an event. Whatever the link does meanwhile is not its business.
func (d *Driver) await(ctx context.Context, op Op, event <-chan struct{}) error {
	for {
		state, changed := d.link.watch()
		if state == linkClosed {
			return driver.ErrClosed
		}
		select {
		case <-event:
			return nil
		case <-changed:
		case <-ctx.Done():
			return ended(ctx, op)
		}
	}
}

// ended says that a call that may have been sent ended with its context.
func ended(ctx context.Context, op Op) error {
	if op.writes() {
		return fmt.Errorf("%w: %s: %w", driver.ErrUnknownOutcome, op, context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", op, context.Cause(ctx))
}

// lost says that an answer did not come.
func lost(op Op, cause error) error {
	if op.writes() {
		return fmt.Errorf("%w: %s: %w", driver.ErrUnknownOutcome, op, cause)
	}
	return fmt.Errorf("%w: %s: %w", driver.ErrUnavailable, op, cause)
}

func (f Fault) applied() {
	if f.Applied != nil {
		f.Applied()
	}
}
