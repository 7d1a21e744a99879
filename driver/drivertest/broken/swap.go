package broken

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

func swapFaults() []Fault {
	return []Fault{
		{
			Name:     "a swap creates although the old place is gone",
			CaughtBy: []string{"swap/gone"},
			plant: func(do *overrides) {
				do.swap = func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error) {
					after, err := s.Session.Swap(ctx, p, c)
					if errors.Is(err, driver.ErrGone) {
						return s.Session.Enter(ctx, c)
					}
					return after, err
				}
			},
		},
		{
			Name:     "a swap shows the line with neither",
			CaughtBy: []string{"swap/one-step"},
			plant: func(do *overrides) {
				do.swap = func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error) {
					if c.Try || p.Line != c.Line || c.Check() != nil {
						return s.Session.Swap(ctx, p, c)
					}
					if err := s.Session.Leave(ctx, p.Line, p.ID); err != nil {
						return s.Session.Swap(ctx, p, c)
					}
					pause()
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "a swap shows the line with both",
			CaughtBy: []string{"swap/one-step"},
			plant: func(do *overrides) {
				do.swap = func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error) {
					_, stands := s.find(ctx, p.Line, p.ID)
					if !stands || c.Try || p.Line != c.Line || c.Check() != nil {
						return s.Session.Swap(ctx, p, c)
					}
					if _, err := s.Session.Enter(ctx, c); err != nil {
						return driver.Place{}, err
					}
					pause()
					if err := s.Session.Leave(ctx, p.Line, p.ID); err != nil {
						return driver.Place{}, err
					}
					return s.Session.Enter(ctx, c) // the place as it stands now
				}
			},
		},
		{
			Name:     "a swap that is refused has left the old place",
			CaughtBy: []string{"mismatch/swap"},
			plant: func(do *overrides) {
				do.swap = func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error) {
					after, err := s.Session.Swap(ctx, p, c)
					if errors.Is(err, driver.ErrMismatch) {
						_ = s.Session.Leave(ctx, p.Line, p.ID) // the fault
					}
					return after, err
				}
			},
		},
		{
			Name:     "a swap that is repeated says that the place is gone",
			CaughtBy: []string{"swap/again", "outage/answer-of-swap-lost"},
			plant: func(do *overrides) {
				do.swap = func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error) {
					if _, done := s.find(ctx, c.Line, c.ID); done {
						return driver.Place{}, fmt.Errorf("%w: %s", driver.ErrGone, p.ID)
					}
					return s.Session.Swap(ctx, p, c)
				}
			},
		},
	}
}
