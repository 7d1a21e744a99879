package broken

import (
	"context"
	"errors"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func updateFaults() []Fault {
	return []Fault{
		{
			Name:     "a late update re-creates the place",
			CaughtBy: []string{"update/never-creates"},
			plant: func(do *overrides) {
				do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					after, err := s.Session.Update(ctx, p)
					if errors.Is(err, driver.ErrGone) {
						return s.Session.Enter(ctx, claimOf(p))
					}
					return after, err
				}
			},
		},
		{
			Name:     "an update raises units",
			CaughtBy: []string{"update/units-never-go-up"},
			plant: func(do *overrides) {
				do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					now, stands := s.find(ctx, p.Line, p.ID)
					if stands && p.Units > now.Units && p.Units <= p.Capacity {
						return s.enterAnew(ctx, p)
					}
					return s.Session.Update(ctx, p)
				}
			},
		},
		{
			Name:     "an update clears the mark",
			CaughtBy: []string{"update/keeps-the-mark"},
			plant:    clearMarks,
		},
		{
			Name:     "an update ignores the version",
			CaughtBy: []string{"update/old-version", "update/at-once"},
			plant: func(do *overrides) {
				do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					for {
						after, err := s.Session.Update(ctx, p)
						if !errors.Is(err, driver.ErrConflict) {
							return after, err
						}
						now, _ := s.find(ctx, p.Line, p.ID)
						p.Version = now.Version
					}
				}
			},
		},
		{
			Name:     "an update does not write data",
			CaughtBy: []string{"update/writes-data"},
			plant: func(do *overrides) {
				do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					if now, stands := s.find(ctx, p.Line, p.ID); stands && driver.CheckData(p.Data) == nil {
						p.Data = now.Data
					}
					return s.Session.Update(ctx, p)
				}
			},
		},
		{
			Name:     "an update moves to the end",
			CaughtBy: []string{"update/keeps-position-and-order"},
			plant: func(do *overrides) {
				do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					after, err := s.Session.Update(ctx, p)
					if err != nil {
						return after, err
					}
					return s.enterAnew(ctx, after)
				}
			},
		},
	}
}

func claimOf(p driver.Place) driver.Claim {
	return driver.Claim{Line: p.Line, ID: p.ID, Kind: p.Kind, Capacity: p.Capacity, Units: p.Units, Data: p.Data}
}

// enterAnew has the same ID leave and enter, as p says.
func (s *session) enterAnew(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := s.Session.Leave(ctx, p.Line, p.ID); err != nil {
		return driver.Place{}, err
	}
	return s.Session.Enter(ctx, claimOf(p))
}

// clearMarks writes the place as the caller has it, with the mark or without.
func clearMarks(do *overrides) {
	var (
		mu      sync.Mutex
		cleared = make(map[string]bool)
	)
	do.update = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		after, err := s.Session.Update(ctx, p)
		mu.Lock()
		defer mu.Unlock()
		if err == nil && p.Eviction == nil && after.Eviction != nil {
			cleared[p.ID] = true
		}
		return after, err
	}
	do.view = func(p driver.Place) driver.Place {
		mu.Lock()
		defer mu.Unlock()
		if cleared[p.ID] {
			p.Eviction = nil
		}
		return p
	}
	do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
		marks, err := s.Session.Renew(ctx)
		mu.Lock()
		defer mu.Unlock()
		return without(marks, func(e driver.Eviction) bool { return cleared[e.PlaceID] }), err
	}
}
