package broken

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func evictFaults() []Fault {
	return []Fault{
		{
			Name:     "an eviction removes the holder",
			CaughtBy: []string{"evict/holder-is-marked", "evict/told-every-time"},
			plant: func(do *overrides) {
				do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
					e.Force = true
					return d.Evict(ctx, line, id, e)
				}
			},
		},
		{
			Name:     "an eviction hits a waiter that was just granted",
			CaughtBy: []string{"evict/beside-a-grant"},
			plant: func(do *overrides) {
				do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
					if l, err := d.Line(ctx, line); err == nil {
						if i := l.Find(id); i >= 0 && !l.Places[i].Granted {
							pause()
							e.Force = true
						}
					}
					return d.Evict(ctx, line, id, e)
				}
			},
		},
		{
			Name:     "an eviction by force only asks",
			CaughtBy: []string{"evict/force", "evict/force-after-a-mark"},
			plant: func(do *overrides) {
				do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
					e.Force = false
					return d.Evict(ctx, line, id, e)
				}
			},
		},
		{
			Name:     "the reason of an eviction is cut",
			CaughtBy: []string{"evict/longest-reason"},
			plant: func(do *overrides) {
				do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
					if e.Check() == nil && len(e.Reason) > 256 {
						e.Reason = strings.ToValidUTF8(e.Reason[:256], "")
					}
					return d.Evict(ctx, line, id, e)
				}
			},
		},
		{
			Name:     "an eviction of nobody succeeds",
			CaughtBy: []string{"evict/gone", "input/bad-place-ids"},
			plant: func(do *overrides) {
				do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
					err := d.Evict(ctx, line, id, e)
					if errors.Is(err, driver.ErrGone) {
						return nil
					}
					return err
				}
			},
		},
		{
			Name:     "an eviction is shown and not told",
			CaughtBy: []string{"evict/holder-is-marked", "evict/told-every-time"},
			plant: func(do *overrides) {
				do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
					_, err := s.Session.Renew(ctx)
					return nil, err
				}
			},
		},
		{
			Name:     "an eviction is told and not shown",
			CaughtBy: []string{"evict/holder-is-marked", "evict/shown-by-watch"},
			plant: func(do *overrides) {
				do.view = func(p driver.Place) driver.Place {
					p.Eviction = nil
					return p
				}
			},
		},
		{
			Name:     "an eviction is told once",
			CaughtBy: []string{"evict/told-every-time"},
			plant:    tellOnce,
		},
		{
			Name:     "of two evictions one is told",
			CaughtBy: []string{"evict/told-every-time"},
			plant: func(do *overrides) {
				do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
					marks, err := s.Session.Renew(ctx)
					return marks[:min(len(marks), 1)], err
				}
			},
		},
		{
			Name:     "a second mark overwrites the first",
			CaughtBy: []string{"evict/second-mark"},
			plant:    overwriteMarks,
		},
	}
}

func without(marks []driver.Eviction, drop func(driver.Eviction) bool) []driver.Eviction {
	return slices.DeleteFunc(marks, drop)
}

func tellOnce(do *overrides) {
	var (
		mu   sync.Mutex
		told = make(map[string]bool)
	)
	do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
		marks, err := s.Session.Renew(ctx)
		mu.Lock()
		defer mu.Unlock()
		return without(marks, func(e driver.Eviction) bool {
			before := told[e.PlaceID]
			told[e.PlaceID] = true
			return before
		}), err
	}
}

func overwriteMarks(do *overrides) {
	var (
		mu     sync.Mutex
		newest = make(map[string]driver.Eviction)
	)
	do.evict = func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
		err := d.Evict(ctx, line, id, e)
		if err == nil {
			mu.Lock()
			e.Line, e.PlaceID = line, id
			newest[id] = e
			mu.Unlock()
		}
		return err
	}
	do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
		marks, err := s.Session.Renew(ctx)
		mu.Lock()
		defer mu.Unlock()
		for i := range marks {
			marks[i] = newest[marks[i].PlaceID]
		}
		return marks, err
	}
}
