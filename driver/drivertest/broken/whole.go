package broken

import (
	"context"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// Faults of the handle as a whole.
func driverFaults() []Fault {
	return []Fault{
		{
			Name:     "features differ between handles",
			CaughtBy: []string{"features/constant"},
			plant: func(do *overrides) {
				var (
					mu    sync.Mutex
					calls int
				)
				do.features = func(f driver.Features) driver.Features {
					mu.Lock()
					defer mu.Unlock()
					if calls++; calls > 1 {
						f.Store += " too"
					}
					return f
				}
			},
		},
		{
			Name:     "features are not filled in",
			CaughtBy: []string{"features/plausible"},
			plant: func(do *overrides) {
				do.features = func(f driver.Features) driver.Features {
					f.Store, f.Safety = "", 0
					return f
				}
			},
		},
		{
			Name:     "closing a handle closes all of them",
			CaughtBy: []string{"closed/other-handles"},
			plant:    closeAll,
		},
		{
			Name:     "a line that nobody stands in is an error",
			CaughtBy: []string{"line/empty", "leave/frees"},
			plant: func(do *overrides) {
				do.line = func(ctx context.Context, d driver.Driver, name string) (driver.Line, error) {
					l, err := d.Line(ctx, name)
					if err == nil && len(l.Places) == 0 {
						return l, driver.ErrGone
					}
					return l, err
				}
			},
		},
		{
			Name:     "a line is put together from two reads",
			CaughtBy: []string{"line/consistent-under-change"},
			plant: func(do *overrides) {
				do.line = readTwice
			},
		},
	}
}

// closeAll takes the connection to be one for the whole process.
func closeAll(do *overrides) {
	var (
		mu     sync.Mutex
		opened = make(map[driver.Driver]bool)
	)
	do.open = func(ctx context.Context, d driver.Driver, o driver.SessionOptions) (driver.Session, error) {
		mu.Lock()
		opened[d] = true
		mu.Unlock()
		return d.Open(ctx, o)
	}
	do.close = func(d *handle) error {
		mu.Lock()
		defer mu.Unlock()
		for other := range opened {
			_ = other.Close() // the fault
		}
		return d.Driver.Close()
	}
}

// readTwice reads who is there, and then how they are and who has come meanwhile.
func readTwice(ctx context.Context, d driver.Driver, name string) (driver.Line, error) {
	before, err := d.Line(ctx, name)
	if err != nil {
		return before, err
	}
	pause()
	after, err := d.Line(ctx, name)
	for _, p := range after.Places {
		if i := before.Find(p.ID); i >= 0 {
			before.Places[i] = p
		} else {
			before.Places = append(before.Places, p)
		}
	}
	return before, err
}
