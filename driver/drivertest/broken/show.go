package broken

import (
	"context"
	"slices"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func showFaults() []Fault {
	return []Fault{
		{
			Name:     "present omits those who wait",
			CaughtBy: []string{"present/waiters-too"},
			plant: func(do *overrides) {
				do.present = func(ctx context.Context, s *session) ([]driver.Place, error) {
					places, err := s.Session.Present(ctx)
					return slices.DeleteFunc(places, func(p driver.Place) bool {
						now, _ := s.find(ctx, p.Line, p.ID)
						return !now.Granted
					}), err
				}
			},
		},
		{
			Name:     "present omits what comes after the tenth",
			CaughtBy: []string{"present/every-place"},
			plant: func(do *overrides) {
				do.present = func(ctx context.Context, s *session) ([]driver.Place, error) {
					places, err := s.Session.Present(ctx)
					return places[:min(len(places), 10)], err
				}
			},
		},
		{
			Name:     "present shows what others have",
			CaughtBy: []string{"present/only-own"},
			plant: func(do *overrides) {
				do.present = presentAll
			},
		},
		{
			Name:     "the owner is not shown",
			CaughtBy: []string{"enter/shown-to-all"},
			plant: func(do *overrides) {
				do.view = func(p driver.Place) driver.Place {
					p.Owner = ""
					return p
				}
			},
		},
		{
			Name:     "a line is shown as it was the last time",
			CaughtBy: []string{"line/up-to-date", "wait/hand-over"},
			plant:    showStale,
		},
		{
			Name:     "a line shows only the head as granted",
			CaughtBy: []string{"units/zero", "units/random-walk"},
			plant: func(do *overrides) {
				do.line = func(ctx context.Context, d driver.Driver, name string) (driver.Line, error) {
					l, err := d.Line(ctx, name)
					for i := range l.Places {
						l.Places[i].Granted = i == 0
					}
					return l, err
				}
			},
		},
	}
}

// presentAll shows every place that the store has.
func presentAll(ctx context.Context, s *session) ([]driver.Place, error) {
	if _, err := s.Session.Present(ctx); err != nil {
		return nil, err
	}
	var places []driver.Place
	for snapshot, err := range s.d.Driver.Watch(ctx, driver.Query{Prefix: true, Once: true}) {
		if err != nil {
			return nil, err
		}
		for _, l := range snapshot.Lines {
			places = append(places, l.Places...)
		}
	}
	return places, nil
}

// showStale answers from what it knew, and asks for the next time.
func showStale(do *overrides) {
	var (
		mu    sync.Mutex
		known = make(map[string]driver.Line)
	)
	do.line = func(ctx context.Context, d driver.Driver, name string) (driver.Line, error) {
		now, err := d.Line(ctx, name)
		if err != nil {
			return now, err
		}
		mu.Lock()
		defer mu.Unlock()
		before, ok := known[name]
		known[name] = driver.Line{Name: name, Places: slices.Clone(now.Places)}
		if !ok {
			return now, nil
		}
		return before, nil
	}
}
