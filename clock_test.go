package holdgate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// clockless is a driver that brings no clock, as those for real stores.
type clockless struct{ driver.Driver }

// machine is what tells a clock how long it has slept.
type machine struct {
	slept   time.Duration
	unknown bool
	asked   int
}

func (m *machine) sleptSinceBoot() (time.Duration, bool) {
	m.asked++
	return m.slept, !m.unknown
}

// What the clock shows after the wall clock was set, or the machine slept. A
// machine that sleeps stops the monotonic clock, and the wall clock goes on.
func TestS09_ClockOfMachine(t *testing.T) {
	for _, tt := range []struct {
		name     string
		unknown  bool          // the machine cannot tell whether it slept
		set      time.Duration // the wall clock, by somebody
		slept    time.Duration // and the machine
		want     time.Duration // what the clock has counted
		isAsking bool          // the machine is asked, which costs a system call
	}{
		{name: "nothing happened"},
		{name: "a drift below the limit", set: holdgate.DriftLimit},
		{name: "set an hour forward", set: time.Hour, isAsking: true},
		{name: "set an hour back", set: -time.Hour, isAsking: true},
		{name: "slept a minute", slept: time.Minute, want: time.Minute, isAsking: true},
		{name: "slept a minute, then set an hour back", set: -time.Hour, slept: time.Minute, want: time.Minute, isAsking: true},
		{name: "unknown: set an hour forward counts as sleep", unknown: true, set: time.Hour, want: time.Hour, isAsking: true},
		{name: "unknown: set an hour back", unknown: true, set: -time.Hour, isAsking: true},
		{name: "unknown: slept a minute", unknown: true, slept: time.Minute, want: time.Minute, isAsking: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				m := machine{slept: time.Hour, unknown: tt.unknown} // before the clock was made
				c := holdgate.NewSystemClock(m.sleptSinceBoot)
				time.Sleep(time.Second)
				m.asked = 0
				m.slept += tt.slept
				c.SetWall(tt.set + tt.slept)
				for range 3 {
					if got := c.Now(); got != time.Second+tt.want {
						t.Errorf("the clock shows %v; want %v", got, time.Second+tt.want)
					}
				}
				asked := 0
				if tt.isAsking {
					asked = 1
				}
				if m.asked != asked {
					t.Errorf("the machine was asked %d times; want %d", m.asked, asked)
				}
				time.Sleep(time.Second)
				if got := c.Now(); got != 2*time.Second+tt.want {
					t.Errorf("a second later the clock shows %v; want %v", got, 2*time.Second+tt.want)
				}
			})
		})
	}
}

// While one goroutine finds out how long the machine slept, no other one may read a time
// that lacks the sleep: it would believe in what is lost.
func TestClockWhileJudging(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var c *holdgate.SystemClock
		asked := 0
		var meanwhile time.Duration
		c = holdgate.NewSystemClock(func() (time.Duration, bool) {
			if asked++; asked == 2 {
				meanwhile = c.Now()
			}
			return time.Minute * time.Duration(min(asked-1, 1)), true
		})
		c.SetWall(time.Minute)
		if got := c.Now(); got != time.Minute || meanwhile != time.Minute {
			t.Errorf("the clock shows %v, and meanwhile %v; want 1m", got, meanwhile)
		}
	})
}

// The clock never goes back, whatever the machine says that it slept.
func TestClockNeverGoesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := machine{}
		c := holdgate.NewSystemClock(m.sleptSinceBoot)
		last := c.Now()
		for _, slept := range []time.Duration{time.Minute, time.Second, 0, 2 * time.Minute} {
			m.slept = slept
			c.SetWall(time.Hour)
			now := c.Now()
			if now < last {
				t.Errorf("%v after %v", now, last)
			}
			last = now
		}
		if last != 2*time.Minute {
			t.Errorf("the clock shows %v; want 2m", last)
		}
	})
}

func TestClockAfterFunc(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := holdgate.NewSystemClock(nil)
		begun := time.Now()
		rung := make(chan time.Duration, 2)
		c.AfterFunc(time.Second, func() { rung <- time.Since(begun) })
		stop := c.AfterFunc(2*time.Second, func() { rung <- time.Since(begun) })
		if got := <-rung; got != time.Second {
			t.Errorf("called after %v; want 1s", got)
		}
		if !stop() || stop() {
			t.Error("stopping a timer says that it was not there, or twice that it was")
		}
		pass(time.Minute)
		if len(rung) > 0 {
			t.Error("called though it was stopped")
		}
	})
}

// A client takes the machine's clock when the driver brings none.
func TestClockOfMachineIsUsed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		faults := newFaultTable()
		drv := store.Connect(&memdriver.Options{Faults: faults.inject})
		c, err := holdgate.New(clockless{drv}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		h, err := c.Mutex("x").Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pass(3 * ttl)
		wantHeld(t, h)
		drv.SetLink(memdriver.LinkRefuses)
		begun := time.Now()
		<-h.Done()
		if took := time.Since(begun); took > believed || took < believed-renewEvery {
			t.Errorf("told after %v", took)
		}
		wantLost(t, h, holdgate.LostExpired)
		drv.SetLink(memdriver.LinkUp)
	})
}

// S09: a client whose clock is an hour off, or runs off by up to a hundredth, keeps its
// holds and tells of a loss in time.
func TestS09_ClockOfProcess(t *testing.T) {
	for name, rate := range map[string]float64{"an hour ahead": 1, "fast": 1.01, "slow": 0.99} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				ahead := memdriver.NewSkewClock()
				time.Sleep(time.Hour)
				p, other := &proc{clock: ahead, faults: newFaultTable(), events: &eventLog{}}, startProc(t, store, nil)
				p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
				p.open(t, p.drv, nil)
				p.clock.SetRate(rate)
				h := p.mustLock(t, "x")
				pass(5 * ttl)
				wantHeld(t, h)
				told := toldAt(h)
				p.drv.SetLink(memdriver.LinkHangs)
				w := other.lockLater(t.Context(), "x")
				w.granted(t, 2*ttl)
				granted := time.Now()
				if wantLost(t, h, holdgate.LostExpired); !told.when().Before(granted) {
					t.Errorf("told at %v, granted to another at %v", told.when(), granted)
				}
				synctest.Wait()
			})
		})
	}
}
