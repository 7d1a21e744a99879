package broken

import "github.com/holdgate/holdgate/driver"

func nudgeFaults() []Fault {
	return []Fault{
		{
			Name:     "nobody is nudged",
			CaughtBy: []string{"nudge/evicted", "nudge/session-ended"},
			Nudge:    true,
			plant: func(do *overrides) {
				do.nudges = func(*session) <-chan struct{} { return nil }
			},
		},
		{
			Name:     "nudged all the time",
			CaughtBy: []string{"nudge/quiet"},
			Nudge:    true,
			plant:    nudgeAlways,
		},
		{
			Name:     "nudges that are not declared",
			CaughtBy: []string{"nudge/undeclared"},
			Nudge:    true,
			plant: func(do *overrides) {
				declare(func(f *driver.Features) { f.Nudge = false })(do)
				nudgeAlways(do)
			},
		},
	}
}

func nudgeAlways(do *overrides) {
	always := make(chan struct{})
	close(always)
	do.nudges = func(*session) <-chan struct{} { return always }
}
