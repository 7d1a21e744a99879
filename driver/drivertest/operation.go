package drivertest

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

// operation is one call of the contract, for rules that hold for each of them.
type operation struct {
	name string
	// session says that the call is one of a session, place that it names a place.
	session, place bool
	call           func(context.Context) error
}

// operations are all calls that an actor can make about a place and its line. On a
// single key those that it has no room for are left out.
func (a *actor) operations(p driver.Place) []operation {
	ops := []operation{
		{name: "Open", call: func(ctx context.Context) error {
			_, err := a.drv.Open(ctx, driver.SessionOptions{TTL: a.longTTL()})
			return err
		}},
		{name: "Line", place: true, call: func(ctx context.Context) error {
			_, err := a.drv.Line(ctx, p.Line)
			return err
		}},
		{name: "Evict", place: true, call: func(ctx context.Context) error {
			return a.drv.Evict(ctx, p.Line, p.ID, driver.Eviction{Force: true})
		}},
		{name: "Renew", session: true, call: func(ctx context.Context) error {
			_, err := a.ses.Renew(ctx)
			return err
		}},
		{name: "Present", session: true, call: func(ctx context.Context) error {
			_, err := a.ses.Present(ctx)
			return err
		}},
		{name: "Enter", session: true, place: true, call: func(ctx context.Context) error {
			_, err := a.ses.Enter(ctx, mutex(p.Line))
			return err
		}},
		{name: "Enter of a try", session: true, place: true, call: func(ctx context.Context) error {
			_, err := a.ses.Enter(ctx, try(mutex(p.Line)))
			return err
		}},
		{name: "Wait", session: true, place: true, call: func(ctx context.Context) error {
			_, err := a.ses.Wait(ctx, p)
			return err
		}},
		{name: "Swap", session: true, place: true, call: func(ctx context.Context) error {
			_, err := a.ses.Swap(ctx, p, mutex(p.Line))
			return err
		}},
		{name: "Leave", session: true, place: true, call: func(ctx context.Context) error {
			return a.ses.Leave(ctx, p.Line, p.ID)
		}},
	}
	if a.Layout == driver.LayoutSingle {
		return ops
	}
	return append(ops,
		operation{name: "Update", session: true, place: true, call: func(ctx context.Context) error {
			_, err := a.ses.Update(ctx, p)
			return err
		}},
		operation{name: "Watch", place: true, call: func(ctx context.Context) error {
			for _, err := range a.drv.Watch(ctx, driver.Query{Name: p.Line, Once: true}) {
				return err
			}
			return errNoSnapshot
		}},
	)
}

var errNoSnapshot = errors.New("drivertest: the watch yielded nothing")

// returns makes a call that must end with its context, and returns its error.
func (e *env) returns(ctx context.Context, op operation) error {
	e.Helper()
	var err error
	returned := make(chan struct{})
	// Ends with the call, and that with the handle at the latest; env.awaitCalls waits
	// for it.
	e.calls.Go(func() {
		defer close(returned)
		err = op.call(ctx)
	})
	e.awaits(returned, "the return of "+op.name)
	return err
}

// isLost checks that every call of a session that has ended says so.
func (a *actor) isLost(p driver.Place) {
	a.Helper()
	for _, op := range a.operations(p) {
		if op.session {
			a.env.fails(op.call(a.ctx()), driver.ErrSessionLost, "%s on a session that has ended", op.name)
		}
	}
}

// answersOfStore are what a call may truly be told when others run beside it that
// remove, change or take what it names.
func answersOfStore(err error) bool {
	return errors.Is(err, driver.ErrGone) || errors.Is(err, driver.ErrConflict) || errors.Is(err, driver.ErrBusy)
}
