package broken

import (
	"time"

	"github.com/holdgate/holdgate/driver"
)

func clockFaults() []Fault {
	return []Fault{
		{
			Name:     "the clock stands still",
			CaughtBy: []string{"clock/goes-on"},
			plant: func(do *overrides) {
				do.now = func(driver.Clock) time.Duration { return time.Hour }
			},
		},
		{
			Name:     "a timer that was stopped fires",
			CaughtBy: []string{"clock/timers"},
			plant: func(do *overrides) {
				do.after = func(c driver.Clock, d time.Duration, f func()) (stop func() bool) {
					c.AfterFunc(d, f)
					return c.AfterFunc(d, func() {})
				}
			},
		},
		{
			Name:     "a timer fires early",
			CaughtBy: []string{"clock/timers"},
			plant: func(do *overrides) {
				do.after = func(c driver.Clock, d time.Duration, f func()) (stop func() bool) {
					return c.AfterFunc(d/2, f)
				}
			},
		},
	}
}
