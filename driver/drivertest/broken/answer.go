package broken

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

func answerFaults() []Fault {
	return []Fault{
		{
			Name:     "an unknown outcome is reported as busy",
			CaughtBy: []string{"outage/answer-lost"},
			plant:    report(driver.ErrUnknownOutcome, &driver.BusyError{}),
		},
		{
			Name:     "an unknown outcome is reported as unavailable",
			CaughtBy: []string{"outage/answer-lost", "outage/answer-of-leave-lost"},
			plant:    report(driver.ErrUnknownOutcome, driver.ErrUnavailable),
		},
		{
			Name:     "a cancelled enter is reported as busy",
			CaughtBy: []string{"cancel/before", "outage/store-hangs"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					if err != nil && ctx.Err() != nil {
						return driver.Place{}, &driver.BusyError{}
					}
					return p, err
				}
			},
		},
		{
			Name:     "a store that is gone is reported as busy",
			CaughtBy: []string{"outage/store-gone"},
			plant:    report(driver.ErrUnavailable, &driver.BusyError{}),
		},
		{
			Name:     "a closed handle is reported as unavailable",
			CaughtBy: []string{"closed/later-calls", "closed/calls-under-way", "closed/beside-calls"},
			plant:    report(driver.ErrClosed, driver.ErrUnavailable),
		},
		{
			Name:     "bad input is reported as a place that is gone",
			CaughtBy: []string{"input/bad-names", "input/bad-claims", "input/bad-place-ids", "evict/bad-input", "input/bad-updates", "session/bad-options", "swap/bad-input", "tryall/bad-input"},
			plant:    report(driver.ErrInvalid, driver.ErrGone),
		},
		{
			Name:     "of several lines one is not entered",
			CaughtBy: []string{"tryall/all"},
			plant: func(do *overrides) {
				below := do.tryAll
				do.tryAll = func(ctx context.Context, s *session, claims []driver.Claim) ([]driver.Place, error) {
					places, err := below(ctx, s, claims)
					if err == nil {
						err = s.Session.Leave(ctx, claims[0].Line, claims[0].ID)
					}
					return places, err
				}
			},
		},
		{
			Name:     "several lines that are tried again are busy",
			CaughtBy: []string{"tryall/again"},
			plant: func(do *overrides) {
				below := do.tryAll
				do.tryAll = func(ctx context.Context, s *session, claims []driver.Claim) ([]driver.Place, error) {
					for _, c := range claims {
						if own, stands := s.find(ctx, c.Line, c.ID); stands {
							return nil, &driver.BusyError{Head: own, Ahead: 1}
						}
					}
					return below(ctx, s, claims)
				}
			},
		},
		{
			Name:     "of several lines those that were free are kept",
			CaughtBy: []string{"tryall/none", "tryall/at-once"},
			plant: func(do *overrides) {
				do.tryAll = tryOneByOne
			},
		},
	}
}

// report tells one kind of error as another.
func report(kind, instead error) func(*overrides) {
	return func(do *overrides) {
		do.fail = func(_ context.Context, err error) error {
			if errors.Is(err, kind) {
				return instead
			}
			return err
		}
	}
}

// tryOneByOne enters one line after the other, and keeps what it got.
func tryOneByOne(ctx context.Context, s *session, claims []driver.Claim) ([]driver.Place, error) {
	var places []driver.Place
	for _, c := range claims {
		c.Try = true
		p, err := s.Session.Enter(ctx, c)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}
