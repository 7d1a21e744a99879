package memdriver

import (
	"context"
	"time"
)

// call takes a step of the store through all that stands between it and a handle:
// a stopped process, a link that is down, and an injected fault. The places that
// the step may make are named, so that a Leave can overtake it.
func call[T any](ctx context.Context, d *Driver, c Call, step func(*state) (T, error), makes ...spot) (T, error) {
	// A process that was stopped meanwhile learns nothing before it goes on.
	defer d.standStill()
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

// apply runs the step, now or when the request lands.
func apply[T any](ctx context.Context, d *Driver, c Call, f Fault, step func(*state) (T, error), makes []spot) (T, error) {
	if f.Delay > 0 && c.Op.Writes() {
		return fly(ctx, d, c, f, step, makes)
	}
	st := d.store.begin()
	v, err := step(st)
	d.store.end()
	f.applied()
	return v, err
}

// fly sends a request on its way. It lands whether or not the caller is still there
// by then, and needs no goroutine until it does.
func fly[T any](ctx context.Context, d *Driver, c Call, f Fault, step func(*state) (T, error), makes []spot) (T, error) {
	var (
		v    T
		err  error
		done = make(chan struct{})
	)
	if f.Stray {
		makes = nil
	}
	land := d.store.depart(c.Session, makes)
	time.AfterFunc(f.Delay, func() {
		defer close(done)
		st := d.store.begin()
		if err = land(); err == nil {
			v, err = step(st)
		}
		d.store.end()
		f.applied()
	})
	if gaveUp := d.await(ctx, c.Op, done); gaveUp != nil {
		var none T
		return none, gaveUp
	}
	return v, err
}

func (f Fault) applied() {
	if f.Applied != nil {
		f.Applied()
	}
}
