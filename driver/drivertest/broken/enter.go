package broken

import (
	"context"
	"errors"
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

func tryFaults() []Fault {
	return []Fault{
		{
			Name:     "a refused try leaves a ghost",
			CaughtBy: []string{"try/leaves-no-ghost", "try/does-not-overtake", "try/beside-a-leaving-holder"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					p, err := s.Session.Enter(ctx, c)
					if errors.Is(err, driver.ErrBusy) {
						c.Try = false
						_, _ = s.Session.Enter(ctx, c) // the ghost
					}
					return p, err
				}
			},
		},
		{
			Name:     "a try is busy by its own place",
			CaughtBy: []string{"retry/try-is-not-busy-by-itself", "outage/answer-lost", "retry/after-cancelled-in-flight"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					if own, stands := s.find(ctx, c.Line, c.ID); stands && c.Try {
						return driver.Place{}, &driver.BusyError{Head: own, Ahead: 1}
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "a small try overtakes a big request",
			CaughtBy: []string{"try/does-not-overtake"},
			plant:    overtake,
		},
		{
			Name:     "a try needs an empty line",
			CaughtBy: []string{"try/fits-beside"},
			plant: func(do *overrides) {
				do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
					l, err := s.d.Driver.Line(ctx, c.Line)
					if c.Try && err == nil && len(l.Places) > 0 && l.Find(c.ID) < 0 {
						return driver.Place{}, &driver.BusyError{Head: l.Places[0], Ahead: len(l.Places)}
					}
					return s.Session.Enter(ctx, c)
				}
			},
		},
		{
			Name:     "busy does not say by whom",
			CaughtBy: []string{"try/busy-names-the-head"},
			plant: func(do *overrides) {
				do.fail = func(_ context.Context, err error) error {
					if busy, ok := errors.AsType[*driver.BusyError](err); ok {
						return &driver.BusyError{Head: driver.Place{Line: busy.Head.Line}}
					}
					return err
				}
			},
		},
	}
}

// overtake lets a try in that fits beside the holders, whoever waits.
func overtake(do *overrides) {
	do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
		p, busy := s.Session.Enter(ctx, c)
		if !errors.Is(busy, driver.ErrBusy) {
			return p, busy
		}
		l, err := s.d.Driver.Line(ctx, c.Line)
		if err != nil || heldUnits(l)+c.Units > c.Capacity {
			return p, busy
		}
		c.Try = false
		p, err = s.Session.Enter(ctx, c)
		p.Granted = true
		return p, err
	}
}

func heldUnits(l driver.Line) int64 {
	var held int64
	for _, p := range l.Places {
		if p.Granted {
			held += p.Units
		}
	}
	return held
}
