package broken

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

// Ways to wait that faults are made of.

// waitUntil watches the line, and returns the place as granted once the condition
// holds for its index there. How else a wait ends is left to the driver below.
func (s *session) waitUntil(
	ctx context.Context, p driver.Place, holds func(l driver.Line, at int) bool,
) (driver.Place, error) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	// Stops the watch when the place, its session or the handle ends; ends with the
	// watch at the latest.
	go func() {
		if _, err := s.Session.Wait(watching, p); err != nil {
			stop()
		}
	}()
	for snapshot, err := range s.d.Driver.Watch(watching, driver.Query{Name: p.Line}) {
		if err != nil {
			break
		}
		for _, l := range snapshot.Lines {
			if at := l.Find(p.ID); at >= 0 && holds(l, at) {
				got := l.Places[at]
				got.Granted = true
				return got, nil
			}
		}
	}
	return s.Session.Wait(ctx, p)
}

// waitOr waits, and does something else when the wait ends by this error.
func (s *session) waitOr(
	ctx context.Context, p driver.Place, end error, instead func(context.Context) (driver.Place, error),
) (driver.Place, error) {
	got, err := s.Session.Wait(ctx, p)
	if errors.Is(err, end) {
		return instead(ctx)
	}
	return got, err
}
