package broken

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func attachFaults() []Fault {
	return []Fault{
		{
			Name:     "a session that is attached to is a new one",
			CaughtBy: []string{"attach/carries-on", "attach/outlives-its-opener"},
			plant: func(do *overrides) {
				do.attach = func(ctx context.Context, d driver.Driver, id string) (driver.Session, error) {
					ses, err := d.Open(ctx, driver.SessionOptions{TTL: time.Minute})
					return alias{ses, id}, err
				}
			},
		},
		{
			Name:     "attaching revives what has ended",
			CaughtBy: []string{"attach/lost"},
			plant: attachWith(func(ctx context.Context, d driver.Driver, _ string, s driver.Session, err error) (driver.Session, error) {
				if errors.Is(err, driver.ErrSessionLost) {
					return d.Open(ctx, driver.SessionOptions{TTL: time.Minute})
				}
				return s, err
			}),
		},
		{
			Name:     "an attached session is told of no evictions",
			CaughtBy: []string{"attach/told-of-evictions"},
			plant: attachWith(func(_ context.Context, _ driver.Driver, _ string, s driver.Session, err error) (driver.Session, error) {
				return untold{s}, err
			}),
		},
		{
			Name:     "an attached session leaves by the spot, not by the ID",
			CaughtBy: []string{"attach/to-and-fro"},
			plant: attachWith(func(_ context.Context, _ driver.Driver, _ string, s driver.Session, err error) (driver.Session, error) {
				return leavesAny{s}, err
			}),
		},
		{
			Name:     "attaching that is not declared",
			CaughtBy: []string{"attach/undeclared"},
			plant:    declare(func(f *driver.Features) { f.Attach = false }),
		},
	}
}

// attachWith changes what Attach returned.
func attachWith(change func(context.Context, driver.Driver, string, driver.Session, error) (driver.Session, error)) func(*overrides) {
	return func(do *overrides) {
		below := do.attach
		do.attach = func(ctx context.Context, d driver.Driver, id string) (driver.Session, error) {
			s, err := below(ctx, d, id)
			if err != nil {
				s = nil
			}
			return change(ctx, d, id, s, err)
		}
	}
}

// alias is a session that goes by the ID of another.
type alias struct {
	driver.Session
	id string
}

func (a alias) ID() string { return a.id }

// untold is a session that hears of no evictions.
type untold struct{ driver.Session }

func (u untold) Renew(ctx context.Context) ([]driver.Eviction, error) {
	_, err := u.Session.Renew(ctx)
	return nil, err
}

// leavesAny is a session that leaves any of its places in the line when the one it was
// asked for is not there.
type leavesAny struct{ driver.Session }

func (l leavesAny) Leave(ctx context.Context, line, placeID string) error {
	err := l.Session.Leave(ctx, line, placeID)
	if !errors.Is(err, driver.ErrGone) {
		return err
	}
	places, err := l.Present(ctx)
	if err != nil {
		return err
	}
	for _, p := range places {
		if p.Line == line {
			return l.Session.Leave(ctx, line, p.ID)
		}
	}
	return driver.ErrGone
}
