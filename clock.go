package holdgate

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// driftLimit is how far wall and monotonic time may part before the machine is asked
// whether it slept. What it misses is covered by the guard of the trust window.
const driftLimit = 20 * time.Millisecond

// systemClock is the machine's clock: monotonic, and going on while the machine
// sleeps.
//
// Go's monotonic clock stops during suspend on Linux, so a process that wakes up
// would believe for as long as it slept. Reading CLOCK_BOOTTIME each time
// would cost a system call; instead one time.Now gives both wall and monotonic
// time, and only when the two part the other clock is read. A wall clock that was
// set makes them part too: then nothing slept, and only the drift is noted.
type systemClock struct {
	start time.Time
	awake time.Duration // slept() at the start
	slept func() (time.Duration, bool)
	seen  atomic.Pointer[judgement] // the last one
}

// judgement is how far wall and monotonic time have parted, and how much of that the
// machine has slept. The two change as one: whoever finds the drift explained must
// find the sleep counted.
type judgement struct{ drift, slept time.Duration }

var _ driver.Clock = (*systemClock)(nil)

func newSystemClock() *systemClock {
	c := &systemClock{start: time.Now(), slept: sleptSinceBoot}
	c.awake, _ = c.slept()
	c.seen.Store(&judgement{})
	return c
}

// Now implements driver.Clock.
func (c *systemClock) Now() time.Duration {
	now := time.Now()
	mono := now.Sub(c.start)
	drift := time.Duration(now.UnixNano()-c.start.UnixNano()) - mono
	seen := c.seen.Load()
	for !seen.explains(drift) {
		next := c.judge(*seen, drift)
		c.seen.CompareAndSwap(seen, &next) // else somebody else was first
		seen = c.seen.Load()
	}
	return mono + seen.slept
}

func (j judgement) explains(drift time.Duration) bool {
	d := drift - j.drift
	return -driftLimit <= d && d <= driftLimit
}

// judge finds out why wall and monotonic time parted further.
func (c *systemClock) judge(j judgement, drift time.Duration) judgement {
	slept, known := c.slept()
	if known {
		j.slept = max(j.slept, slept-c.awake)
	} else {
		// Nothing tells a suspend from a wall clock set forward: take the one that
		// ends trust early.
		j.slept += max(0, drift-j.drift)
	}
	j.drift = drift
	return j
}

// AfterFunc implements driver.Clock.
func (*systemClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// sleep waits for d, or for the end of ctx, whose cause it returns.
func sleep(ctx context.Context, clock driver.Clock, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	done := make(chan struct{})
	stop := clock.AfterFunc(d, func() { close(done) })
	defer stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
