// Package broken plants one fault each on a driver that works. They are what the
// suite in package drivertest must reject: a suite that has never failed proves
// nothing.
//
// A fault is planted on every handle of a store, since some need to be agreed
// between handles. It is the only thing that is wrong: all else is the driver below.
package broken

import (
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// Fault is one thing that a driver may do wrong.
type Fault struct {
	// Name says what the driver does.
	Name string
	// CaughtBy are cases of the suite, each of which must fail because of it.
	CaughtBy []string

	// Inherit says that the fault is one of driver.Inheriter, and shows only on a driver
	// whose sessions implement it.
	Inherit bool

	// Nudge says that it is one of driver.Nudger.
	Nudge bool

	// plant replaces some of what the driver does, on all handles of one store.
	plant func(do *overrides)
}

// Wrap returns what plants the fault on the handles of one store.
func (f Fault) Wrap() func(driver.Driver) driver.Driver {
	do := same()
	f.plant(&do)
	return func(d driver.Driver) driver.Driver {
		h := &handle{Driver: d, do: do, closed: make(chan struct{})}
		if clock, ok := d.(driver.Clock); ok {
			return clocked{handle: h, clock: clock}
		}
		return h
	}
}

// Nothing is no fault: the driver as it is, through all that plants one.
func Nothing() Fault {
	return Fault{Name: "nothing", plant: func(*overrides) {}}
}

// Faults are all there are.
func Faults() []Fault {
	return slices.Concat(
		orderFaults(), enterFaults(), tryFaults(), kindFaults(), wakeFaults(), grantFaults(),
		cancelFaults(), leaveFaults(), updateFaults(), swapFaults(), evictFaults(),
		sessionFaults(), expiryFaults(), showFaults(), watchFaults(), watchChangeFaults(), nameFaults(), answerFaults(),
		kvFaults(), driverFaults(), declareFaults(), clockFaults(), inheritFaults(), nudgeFaults(), attachFaults(),
	)
}
