package broken

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

func kindFaults() []Fault {
	return []Fault{
		{
			Name:     "a place of another kind is not counted",
			CaughtBy: []string{"mismatch/refused", "mismatch/behind-waiters", "mismatch/line-is-free-again", "mismatch/at-once"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					if errors.Is(err, driver.ErrMismatch) {
						c.Line = "\x01" + string(c.Kind)
						p, err = s.Session.Enter(ctx, c)
					}
					return p, err
				}
			},
		},
		{
			Name:     "a place of other software is not counted",
			CaughtBy: []string{"foreign/is-a-holder", "foreign/waits-too", "foreign/goes-by-force-only"},
			plant:    ignoreForeign,
		},
		{
			Name:     "a place of other software is another kind",
			CaughtBy: []string{"foreign/is-no-other-kind", "foreign/goes-by-force-only"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					l, err := s.d.Driver.Line(ctx, c.Line)
					if err == nil && len(l.Places) > 0 && l.Places[0].Foreign {
						return driver.Place{}, driver.ErrMismatch
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "a place of other software is removed without force",
			CaughtBy: []string{"foreign/goes-by-force-only"},
			plant: func(do *overrides) {
				do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
					err := d.Evict(ctx, line, id, e)
					if errors.Is(err, driver.ErrUnsupported) {
						e.Force = true
						err = d.Evict(ctx, line, id, e)
					}
					return err
				}
			},
		},
		{
			Name:     "a store that cannot share grants all the same",
			CaughtBy: []string{"units/permits"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					p.Granted = p.Granted || c.Capacity > 1
					return p, err
				}
			},
		},
	}
}

// ignoreForeign grants what has only places of other software ahead.
func ignoreForeign(do *overrides) {
	do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
		p, err := s.Session.Enter(ctx, c)
		if busy, ok := errors.AsType[*driver.BusyError](err); ok && busy.Head.Foreign {
			c.Try = false
			p, err = s.Session.Enter(ctx, c)
		}
		if err == nil && !p.Granted {
			p.Granted = s.onlyForeignAhead(ctx, p)
		}
		return p, err
	}
	do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		return s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
			return l.Places[at].Granted || onlyForeign(l.Places[:at])
		})
	}
}

func (s *session) onlyForeignAhead(ctx context.Context, p driver.Place) bool {
	l, err := s.d.Driver.Line(ctx, p.Line)
	if err != nil {
		return false
	}
	i := l.Find(p.ID)
	return i >= 0 && onlyForeign(l.Places[:i])
}

func onlyForeign(places []driver.Place) bool {
	for _, p := range places {
		if !p.Foreign {
			return false
		}
	}
	return true
}
