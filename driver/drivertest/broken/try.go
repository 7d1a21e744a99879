package broken

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

func tryFaults() []Fault {
	return []Fault{
		{
			Name:     "a refused try leaves a ghost",
			CaughtBy: []string{"try/leaves-no-ghost", "try/does-not-overtake", "try/beside-a-leaving-holder"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					if errors.Is(err, driver.ErrBusy) {
						c.Try = false
						_, _ = s.Session.Enter(ctx, c) // the ghost
					}
					return p, err
				}
			},
		},
		{
			Name:     "a try is busy by its own place",
			CaughtBy: []string{"retry/try-is-not-busy-by-itself", "outage/answer-lost", "retry/after-cancelled-in-flight"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					if own, stands := s.find(ctx, c.Line, c.ID); stands && c.Try {
						return driver.Place{}, &driver.BusyError{Head: own, Ahead: 1}
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "a small try overtakes a big request",
			CaughtBy: []string{"try/does-not-overtake"},
			plant:    overtake,
		},
		{
			Name:     "a try needs an empty line",
			CaughtBy: []string{"try/fits-beside"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					l, err := s.d.Driver.Line(ctx, c.Line)
					if c.Try && err == nil && len(l.Places) > 0 && l.Find(c.ID) < 0 {
						return driver.Place{}, &driver.BusyError{Head: l.Places[0], Ahead: len(l.Places)}
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "busy does not say by whom",
			CaughtBy: []string{"try/busy-names-the-head"},
			plant: func(do *overrides) {
				do.fail = func(_ context.Context, err error) error {
					if busy, ok := errors.AsType[*driver.BusyError](err); ok {
						return &driver.BusyError{Head: driver.Place{Line: busy.Head.Line}}
					}
					return err
				}
			},
		},
	}
}

// overtake lets a try in that fits beside the holders, whoever waits.
func overtake(do *overrides) {
	do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
		p, busy := s.Session.Enter(ctx, c)
		if !errors.Is(busy, driver.ErrBusy) {
			return p, busy
		}
		l, err := s.d.Driver.Line(ctx, c.Line)
		if err != nil || heldUnits(l)+c.Units > c.Capacity {
			return p, busy
		}
		c.Try = false
		p, err = s.Session.Enter(ctx, c)
		p.Granted = true
		return p, err
	}
}

func heldUnits(l driver.Line) int64 {
	var held int64
	for _, p := range l.Places {
		if p.Granted {
			held += p.Units
		}
	}
	return held
}
