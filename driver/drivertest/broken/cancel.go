package broken

import (
	"context"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// pause lets everybody else do something.
func pause() { time.Sleep(time.Microsecond) }

func cancelFaults() []Fault {
	return []Fault{
		{
			Name:     "a wait that was cancelled goes on for a while",
			CaughtBy: []string{"cancel/waiting", "cancel/deadline"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					got, err := s.Session.Wait(ctx, p)
					if ctx.Err() != nil {
						time.Sleep(2 * time.Second)
					}
					return got, err
				}
			},
		},
		{
			Name:     "a cancelled call takes its time",
			CaughtBy: []string{"cancel/in-flight", "cancel/waiting", "outage/store-hangs"},
			plant: func(do *overrides) {
				do.fail = func(ctx context.Context, err error) error {
					if ctx.Err() != nil {
						time.Sleep(2 * time.Second)
					}
					return err
				}
			},
		},
		{
			Name:     "the cause of a cancellation is lost",
			CaughtBy: []string{"cancel/before", "cancel/waiting", "watch/ends-with-its-context"},
			plant: func(do *overrides) {
				do.fail = func(ctx context.Context, err error) error {
					if ctx.Err() != nil {
						return driver.ErrUnavailable
					}
					return err
				}
			},
		},
		{
			Name:     "a cancelled call is told as its context's error",
			CaughtBy: []string{"cancel/before", "cancel/waiting"},
			plant: func(do *overrides) {
				do.fail = func(ctx context.Context, err error) error {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					return err
				}
			},
		},
		{
			Name:     "a call that was cancelled before is made all the same",
			CaughtBy: []string{"cancel/before"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					return s.Session.Enter(context.WithoutCancel(ctx), c)
				}
			},
		},
		{
			Name:     "a cancelled wait gives its place up",
			CaughtBy: []string{"wait/cancelled-keeps-the-place"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					got, err := s.Session.Wait(ctx, p)
					if ctx.Err() != nil {
						cleanUp, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
						defer cancel()
						_ = s.Session.Leave(cleanUp, p.Line, p.ID) // the fault
					}
					return got, err
				}
			},
		},
	}
}
