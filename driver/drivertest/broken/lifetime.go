package broken

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func sessionFaults() []Fault {
	return []Fault{
		{
			Name:     "closing a session leaves its places to expire",
			CaughtBy: []string{"session/close-frees-at-once", "session/independent", "session/middle-closes"},
			plant: func(do *overrides) {
				do.end = func(context.Context, *session) error { return nil }
			},
		},
		{
			Name:     "a session that is lost renews all the same",
			CaughtBy: []string{"session/lost-for-good", "expiry/not-renewed"},
			plant: func(do *overrides) {
				do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
					marks, err := s.Session.Renew(ctx)
					if errors.Is(err, driver.ErrSessionLost) {
						return nil, nil
					}
					return marks, err
				}
			},
		},
		{
			Name:     "a lost session enters by another one",
			CaughtBy: []string{"session/lost-for-good", "expiry/not-renewed", "operator/ends-a-session"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					if !errors.Is(err, driver.ErrSessionLost) {
						return p, err
					}
					again, err := s.d.Driver.Open(ctx, driver.SessionOptions{TTL: time.Minute})
					if err != nil {
						return driver.Place{}, err
					}
					return again.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "a lost session says that its places are gone",
			CaughtBy: []string{"session/lost-for-good", "session/close-ends-its-waits"},
			plant: func(do *overrides) {
				do.fail = func(_ context.Context, err error) error {
					if errors.Is(err, driver.ErrSessionLost) {
						return driver.ErrGone
					}
					return err
				}
			},
		},
	}
}

func expiryFaults() []Fault {
	return []Fault{
		{
			Name:     "early expiry",
			CaughtBy: []string{"expiry/frees-in-time", "expiry/not-renewed"},
			plant:    scaleTTL(func(ttl time.Duration) time.Duration { return ttl / 2 }),
		},
		{
			Name:     "late expiry",
			CaughtBy: []string{"expiry/frees-in-time", "expiry/not-renewed", "expiry/waiter-crashed", "expiry/of-one-reader", "expiry/shown-by-watch"},
			plant:    scaleTTL(func(ttl time.Duration) time.Duration { return ttl + 5*time.Second }),
		},
		{
			Name:     "a renewal does not count",
			CaughtBy: []string{"expiry/renewed-stays", "expiry/frees-in-time"},
			plant: func(do *overrides) {
				do.renew = renewInName
			},
		},
		{
			Name:     "an expired place is skipped instead of removed",
			CaughtBy: []string{"expiry/not-renewed"},
			plant:    skipExpired,
		},
	}
}

// lifetime is a session that reports another TTL than the one below it has.
type lifetime struct {
	driver.Session
	reported time.Duration
}

func (l lifetime) TTL() time.Duration { return l.reported }

// TryAll is that of the session below, if it has one.
func (l lifetime) TryAll(ctx context.Context, claims []driver.Claim) ([]driver.Place, error) {
	if trier, ok := l.Session.(driver.AllTrier); ok {
		return trier.TryAll(ctx, claims)
	}
	return nil, driver.ErrUnsupported
}

func scaleTTL(scale func(time.Duration) time.Duration) func(*overrides) {
	return func(do *overrides) {
		do.open = func(ctx context.Context, d driver.Driver, o driver.SessionOptions) (driver.Session, error) {
			asked := o.TTL
			o.TTL = scale(o.TTL)
			ses, err := d.Open(ctx, o)
			if err != nil {
				return nil, err
			}
			return lifetime{Session: ses, reported: asked}, nil
		}
	}
}

// renewInName tells the marks, and does not start the store's clock anew.
func renewInName(ctx context.Context, s *session) ([]driver.Eviction, error) {
	places, err := s.Session.Present(ctx)
	var marks []driver.Eviction
	for _, p := range places {
		if now, stands := s.find(ctx, p.Line, p.ID); stands && now.Eviction != nil {
			marks = append(marks, *now.Eviction)
		}
	}
	return marks, err
}
