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
	start    time.Time
	awake    time.Duration // slept() at the start
	drift    atomic.Int64  // wall minus monotonic time, when last judged
	slept    func() (time.Duration, bool)
	sleeping atomic.Int64 // how long the machine has slept since the start
}

var _ driver.Clock = (*systemClock)(nil)

func newSystemClock() *systemClock {
	c := &systemClock{start: time.Now(), slept: sleptSinceBoot}
	c.awake, _ = c.slept()
	return c
}

// Now implements driver.Clock.
func (c *systemClock) Now() time.Duration {
	now := time.Now()
	mono := now.Sub(c.start)
	drift := time.Duration(now.UnixNano()-c.start.UnixNano()) - mono
	if d := drift - time.Duration(c.drift.Load()); d > driftLimit || d < -driftLimit {
		c.judge(drift, d)
	}
	return mono + time.Duration(c.sleeping.Load())
}

// judge finds out why wall and monotonic time parted by another d.
func (c *systemClock) judge(drift, d time.Duration) {
	c.drift.Store(int64(drift))
	slept, known := c.slept()
	switch {
	case known:
		storeMax(&c.sleeping, int64(slept-c.awake))
	case d > 0:
		// Nothing tells a suspend from a wall clock set forward: take the one that
		// ends trust early.
		c.sleeping.Add(int64(d))
	}
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

// storeMax raises a to v, never lowers it.
func storeMax(a *atomic.Int64, v int64) {
	for old := a.Load(); v > old; old = a.Load() {
		if a.CompareAndSwap(old, v) {
			return
		}
	}
}
