package broken

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func enterFaults() []Fault {
	return []Fault{
		{
			Name:     "entering again moves to the end",
			CaughtBy: []string{"retry/returns-the-same-place", "retry/keeps-the-position", "retry/at-once"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					if _, stands := s.find(ctx, c.Line, c.ID); stands {
						if err := s.Session.Leave(ctx, c.Line, c.ID); err != nil {
							return driver.Place{}, err
						}
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "enter does not say that it was granted",
			CaughtBy: []string{"enter/granted-at-once", "try/free"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					p.Granted = false
					return p, err
				}
			},
		},
		{
			Name:     "everybody is granted",
			CaughtBy: []string{"enter/waits-behind", "stress/mutex", "stress/permits", "stress/readers-and-writers"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					p.Granted = true
					return p, err
				}
			},
		},
		{
			Name:     "a session does not wait for itself",
			CaughtBy: []string{"enter/own-session-waits-too"},
			plant: func(do *overrides) {
				do.enter = enterBesideOneself
			},
		},
		{
			Name:     "a line takes a hundred places",
			CaughtBy: []string{"queue/200-waiters"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					if l, err := s.d.Driver.Line(ctx, c.Line); err == nil && len(l.Places) >= 100 {
						return driver.Place{}, driver.ErrUnavailable
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "data that is too large is left out",
			CaughtBy: []string{"input/too-large"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					if len(c.Data) > driver.MaxData {
						c.Data = nil
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "a slice is shared with the caller",
			CaughtBy: []string{"enter/data-is-copied"},
			plant:    shareSlices,
		},
		{
			Name:     "data must fit after it was escaped",
			CaughtBy: []string{"enter/largest-data"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					if size := len(fmt.Sprintf("%q", c.Data)); size > driver.MaxData+1024 && len(c.Data) <= driver.MaxData {
						return driver.Place{}, fmt.Errorf("%w: %d bytes", driver.ErrTooLarge, size)
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
	}
}

// enterBesideOneself takes the session to be the holder, not the place.
func enterBesideOneself(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
	p, err := s.Session.Enter(ctx, c)
	if err != nil || p.Granted {
		return p, err
	}
	l, err := s.d.Driver.Line(ctx, c.Line)
	others := slices.ContainsFunc(l.Places, func(o driver.Place) bool { return o.Session != p.Session })
	p.Granted = err == nil && !others
	return p, err
}

// shareSlices keeps the data that it is given, and shows it.
func shareSlices(do *overrides) {
	var (
		mu   sync.Mutex
		kept = make(map[string][]byte)
	)
	do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
		p, err := s.Session.Enter(ctx, c)
		if err == nil {
			mu.Lock()
			kept[c.ID] = c.Data
			mu.Unlock()
		}
		return p, err
	}
	do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		after, err := s.Session.Update(ctx, p)
		if err == nil {
			mu.Lock()
			kept[p.ID] = p.Data
			mu.Unlock()
		}
		return after, err
	}
	do.view = func(p driver.Place) driver.Place {
		mu.Lock()
		defer mu.Unlock()
		if data, ok := kept[p.ID]; ok {
			p.Data = data
		}
		return p
	}
}
