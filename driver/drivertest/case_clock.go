package drivertest

import (
	"time"

	"github.com/holdgate/holdgate/driver"
)

func clockCases() []testCase {
	return []testCase{
		{
			name: "clock/goes-on",
			reason: "Callers count their trust by this clock. One that stands still, or goes back, lets them " +
				"believe for ever.",
			needs: clock,
			run:   clockGoesOn,
		},
		{
			name: "clock/timers",
			reason: "A timer runs once, not before its time, and in a goroutine of its own. Whether it was " +
				"stopped in time must be told truly.",
			needs: clock,
			run:   clockTimers,
		},
	}
}

func (e *env) clock() driver.Clock {
	e.Helper()
	c, ok := e.dial().(driver.Clock)
	if !ok {
		e.Fatal("one handle has a clock, and another one has not")
	}
	return c
}

func clockGoesOn(e *env) {
	c := e.clock()
	last := c.Now()
	for range 20 {
		time.Sleep(e.ttl / 100)
		now := c.Now()
		if now <= last {
			e.Fatalf("the clock showed %v, and %v later %v", last, e.ttl/100, now)
		}
		last = now
	}
}

func clockTimers(e *env) {
	c := e.clock()
	wait := e.ttl / 10
	began := c.Now()
	fired := make(chan time.Duration, 1)
	release := make(chan struct{})
	stop := c.AfterFunc(wait, func() { fired <- c.Now(); <-release })
	other := make(chan struct{})
	c.AfterFunc(wait, func() { close(other) })
	select {
	case at := <-fired:
		if at-began < wait {
			e.Errorf("a timer of %v fired after %v", wait, at-began)
		}
	case <-time.After(patience):
		e.Fatal("the timer never fired")
	}
	select {
	case <-other:
	case <-time.After(patience):
		e.Error("a timer whose function blocks holds up another one")
	}
	if stop() {
		e.Error("stopping a timer that has fired says that it was in time")
	}
	close(release)

	stop = c.AfterFunc(wait, func() { e.Error("a timer that was stopped fired") })
	if !stop() {
		e.Error("stopping a timer in time says that it was too late")
	}
	if stop() {
		e.Error("stopping a timer twice says twice that it was because of this")
	}
	time.Sleep(2 * wait)
}
