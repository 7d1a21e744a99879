package memdriver

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// SkewClock is the clock of one process, and the means to stop that process. It
// follows the true time until it is told otherwise.
//
// Between Pause and Resume the process is stopped, as by SIGSTOP: timers do not
// fire, and handles with this clock neither send requests nor return answers. Code
// that runs all the same reads the time of the Pause.
type SkewClock struct {
	epoch time.Time // the origin of the true time

	mu sync.Mutex
	// The clock shows base at the true time since, and runs at rate from there on,
	// unless pause is set: then it stands at base.
	base, since time.Duration
	rate        float64
	pause       chan struct{} // closed when the process goes on
	timers      []*skewTimer  // in the order in which they were set
}

var _ driver.Clock = (*SkewClock)(nil)

// skewTimer is a call that is due when the clock shows that time.
type skewTimer struct {
	due   time.Duration
	f     func()
	timer *time.Timer // runs by the true time; nil while the clock stands
}

// NewSkewClock returns a clock that shows the true time since this call.
func NewSkewClock() *SkewClock {
	return &SkewClock{epoch: time.Now(), rate: 1}
}

// Now is what the clock shows.
func (c *SkewClock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reading()
}

// AfterFunc calls f once the clock has advanced by d and the process runs.
func (c *SkewClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &skewTimer{due: later(c.reading(), max(d, 0)), f: f}
	c.timers = append(c.timers, t)
	c.arm(t)
	return func() bool { return c.stop(t) }
}

// Pause stops the process. A second Pause does nothing.
func (c *SkewClock) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pause != nil {
		return
	}
	c.base, c.since = c.reading(), c.trueTime()
	c.pause = make(chan struct{})
	for _, t := range c.timers {
		t.disarm()
	}
}

// Resume lets the process go on. The clock has counted the pause, as CLOCK_BOOTTIME
// does, and timers that were due in it fire at once.
func (c *SkewClock) Resume() { c.resume(true) }

// ResumeBehind lets the process go on with a clock that has not counted the pause,
// as Go's monotonic clock does not count a suspend. A caller that trusts such a clock
// believes in its locks for too long: this is for tests that show it.
func (c *SkewClock) ResumeBehind() { c.resume(false) }

func (c *SkewClock) resume(counted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pause == nil {
		return
	}
	if !counted {
		c.since = c.trueTime()
	}
	close(c.pause)
	c.pause = nil
	for _, t := range c.timers {
		c.arm(t)
	}
}

// SetRate lets the clock run fast or slow from now on, or from the Pause on: at 1.1
// it shows 11 seconds after 10. It panics unless the rate is positive.
func (c *SkewClock) SetRate(rate float64) {
	if !(rate > 0) || math.IsInf(rate, 1) {
		panic("memdriver: the rate of a clock is a positive number")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pause != nil {
		c.rate = rate
		return
	}
	c.base, c.since, c.rate = c.reading(), c.trueTime(), rate
	for _, t := range c.timers {
		t.disarm()
		c.arm(t)
	}
}

// stopped returns a channel that is closed when the process goes on, or nil when it
// runs.
func (c *SkewClock) stopped() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pause
}

func (c *SkewClock) trueTime() time.Duration { return time.Since(c.epoch) }

func (c *SkewClock) reading() time.Duration {
	if c.pause != nil {
		return c.base
	}
	return c.base + time.Duration(float64(c.trueTime()-c.since)*c.rate)
}

// arm sets the timer, unless the clock stands.
func (c *SkewClock) arm(t *skewTimer) {
	if c.pause != nil {
		return
	}
	wait := math.Ceil(float64(t.due-c.reading()) / c.rate)
	t.timer = time.AfterFunc(time.Duration(min(max(wait, 0), math.MaxInt64/2)), func() { c.fire(t) })
}

func (t *skewTimer) disarm() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// fire runs in a goroutine of its own. A timer that was replaced may still get
// here, so it looks again whether the time has come.
func (c *SkewClock) fire(t *skewTimer) {
	if c.claim(t) {
		t.f()
	}
}

func (c *SkewClock) claim(t *skewTimer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.timers, t)
	if i < 0 || c.pause != nil {
		return false
	}
	if c.reading() < t.due {
		t.disarm()
		c.arm(t)
		return false
	}
	c.timers = slices.Delete(c.timers, i, i+1)
	return true
}

func (c *SkewClock) stop(t *skewTimer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.timers, t)
	if i < 0 {
		return false
	}
	c.timers = slices.Delete(c.timers, i, i+1)
	t.disarm()
	return true
}
