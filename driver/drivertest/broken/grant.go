package broken

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

func grantFaults() []Fault {
	return []Fault{
		{
			Name:     "grant on a lost session",
			CaughtBy: []string{"session/close-ends-its-waits", "expiry/waiter", "operator/ends-a-session"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					return s.waitOr(ctx, p, driver.ErrSessionLost, func(context.Context) (driver.Place, error) {
						p.Granted = true
						return p, nil
					})
				}
			},
		},
		{
			Name:     "a wake-up is taken for a grant",
			CaughtBy: []string{"queue/middle-leaves", "queue/next-leaves-then-holder"},
			plant: func(do *overrides) {
				do.wait = grantWhenWoken
			},
		},
		{
			Name:     "whoever fits is granted, whoever waits before",
			CaughtBy: []string{"units/big-request-is-not-starved", "units/readers-share-writers-exclude", "units/two-holders-leave-at-once"},
			plant: func(do *overrides) {
				do.wait = grantWhoFits
			},
		},
		{
			Name:     "the first that does not fit is granted too",
			CaughtBy: []string{"units/wakes-exactly-who-fits", "units/random-walk"},
			plant: func(do *overrides) {
				do.wait = grantOneTooMany
			},
		},
		{
			Name:     "units are summed in 32 bits",
			CaughtBy: []string{"units/largest"},
			plant: func(do *overrides) {
				do.wait = grantByOverflow
			},
		},
		{
			Name:     "two tries at once both win",
			CaughtBy: []string{"try/one-wins"},
			plant: func(do *overrides) {
				do.enter = lookThenEnter
			},
		},
	}
}

// grantWhenWoken believes that any removal ahead was the one it waited for.
func grantWhenWoken(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	before := -1
	return s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		woken := before >= 0 && at < before
		before = at
		return woken || l.Places[at].Granted
	})
}

// grantWhoFits counts those who hold, and not those who wait ahead.
func grantWhoFits(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	return s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		me := l.Places[at]
		return me.Granted || heldUnits(l)+me.Units <= me.Capacity
	})
}

// grantOneTooMany compares with less where it must be at most.
func grantOneTooMany(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	return s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		me := l.Places[at]
		return me.Granted || me.Capacity > 1 && heldUnits(l) < me.Capacity && l.Places[at-1].Granted
	})
}

// grantByOverflow adds two writers to less than nothing.
func grantByOverflow(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	return s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		var sum int32
		for _, ahead := range l.Places[:at+1] {
			sum += int32(ahead.Units)
		}
		return sum <= int32(l.Places[at].Capacity)
	})
}

// lookThenEnter is a try in two steps: others may come between.
func lookThenEnter(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
	if !c.Try {
		return s.Session.Enter(ctx, c)
	}
	l, err := s.d.Driver.Line(ctx, c.Line)
	if err != nil || len(l.Places) > 0 {
		return s.Session.Enter(ctx, c)
	}
	pause()
	c.Try = false
	p, err := s.Session.Enter(ctx, c)
	if errors.Is(err, driver.ErrMismatch) {
		return p, err
	}
	p.Granted = err == nil
	return p, err
}
