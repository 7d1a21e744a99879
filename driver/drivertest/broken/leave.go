package broken

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func leaveFaults() []Fault {
	return []Fault{
		{
			Name:     "leave removes another's place",
			CaughtBy: []string{"leave/only-own-places", "session/owner-decides-nothing"},
			plant: func(do *overrides) {
				do.leave = func(ctx context.Context, s *session, line, id string) error {
					err := s.Session.Leave(ctx, line, id)
					if errors.Is(err, driver.ErrGone) {
						return s.d.Driver.Evict(ctx, line, id, driver.Eviction{Force: true})
					}
					return err
				}
			},
		},
		{
			Name:     "leave removes whoever holds",
			CaughtBy: []string{"leave/again", "outage/answer-of-leave-lost"},
			plant: func(do *overrides) {
				do.leave = leaveHead
			},
		},
		{
			Name:     "leave of nothing succeeds",
			CaughtBy: []string{"leave/again", "try/leaves-no-ghost", "swap/alone"},
			plant: func(do *overrides) {
				do.leave = func(ctx context.Context, s *session, line, id string) error {
					err := s.Session.Leave(ctx, line, id)
					if errors.Is(err, driver.ErrGone) {
						return nil
					}
					return err
				}
			},
		},
		{
			Name:     "leave looks for the ID in every line",
			CaughtBy: []string{"leave/in-the-wrong-line"},
			plant: func(do *overrides) {
				do.leave = leaveAnywhere
			},
		},
		{
			Name:     "leave removes all that the session has",
			CaughtBy: []string{"enter/many-lines", "present/every-place"},
			plant: func(do *overrides) {
				do.leave = leaveEverything
			},
		},
		{
			Name:     "leave is answered before it has happened",
			CaughtBy: []string{"leave/frees", "try/after-leave", "names/empty-lines-vanish"},
			plant: func(do *overrides) {
				do.leave = func(ctx context.Context, s *session, line, id string) error {
					if _, stands := s.find(ctx, line, id); !stands {
						return s.Session.Leave(ctx, line, id)
					}
					s.d.later(20*time.Millisecond, func() { _ = s.Session.Leave(context.WithoutCancel(ctx), line, id) })
					return nil
				}
			},
		},
		{
			Name:     "leave that meets another one is a conflict",
			CaughtBy: []string{"leave/at-once"},
			plant: func(do *overrides) {
				do.leave = func(ctx context.Context, s *session, line, id string) error {
					_, stood := s.find(ctx, line, id)
					pause()
					err := s.Session.Leave(ctx, line, id)
					if stood && errors.Is(err, driver.ErrGone) {
						return driver.ErrConflict
					}
					return err
				}
			},
		},
		{
			Name:     "an enter is sent twice, the second time late",
			CaughtBy: []string{"leave/stays-gone"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					s.d.later(time.Millisecond, func() { _, _ = s.Session.Enter(context.WithoutCancel(ctx), c) })
					return p, err
				}
			},
		},
		{
			Name:     "leave succeeds and leaves the place of a waiter",
			CaughtBy: []string{"queue/middle-leaves", "present/waiters-too", "cancel/leaves-no-waiter", "units/a-waiter-that-leaves-frees-those-behind"},
			plant: func(do *overrides) {
				do.leave = func(ctx context.Context, s *session, line, id string) error {
					if now, stands := s.find(ctx, line, id); stands && !now.Granted {
						return nil
					}
					return s.Session.Leave(ctx, line, id)
				}
			},
		},
	}
}

// leaveEverything gives back what the session has, beside what it was asked to.
func leaveEverything(ctx context.Context, s *session, line, id string) error {
	if err := s.Session.Leave(ctx, line, id); err != nil {
		return err
	}
	places, err := s.Session.Present(ctx)
	for _, p := range places {
		_ = s.Session.Leave(ctx, p.Line, p.ID) // the fault
	}
	return err
}

// leaveAnywhere goes by the ID alone.
func leaveAnywhere(ctx context.Context, s *session, line, id string) error {
	err := s.Session.Leave(ctx, line, id)
	if !errors.Is(err, driver.ErrGone) {
		return err
	}
	places, _ := s.Session.Present(ctx)
	for _, p := range places {
		if p.ID == id {
			return s.Session.Leave(ctx, p.Line, id)
		}
	}
	return err
}

// leaveHead deletes the head instead of the place of that ID.
func leaveHead(ctx context.Context, s *session, line, id string) error {
	err := s.Session.Leave(ctx, line, id)
	if !errors.Is(err, driver.ErrGone) {
		return err
	}
	if l, err := s.d.Driver.Line(ctx, line); err == nil && len(l.Places) > 0 {
		return s.d.Driver.Evict(ctx, line, l.Places[0].ID, driver.Eviction{Force: true})
	}
	return err
}
