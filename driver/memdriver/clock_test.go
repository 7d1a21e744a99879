package memdriver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func TestClockFollowsTheTrueTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]driver.Clock{
			"of a handle": memdriver.New(),
			"skew":        memdriver.NewSkewClock(),
		} {
			before := c.Now()
			fired := after(c, 3*time.Second)
			time.Sleep(5 * time.Second)
			if got := c.Now() - before; got != 5*time.Second {
				t.Errorf("%s: advanced by %v, want 5s", name, got)
			}
			if got := <-fired - before; got != 3*time.Second {
				t.Errorf("%s: fired at %v, want 3s", name, got)
			}
		}
	})
}

// after returns a channel that gets the clock's time when a timer of d fires.
func after(c driver.Clock, d time.Duration) <-chan time.Duration {
	fired := make(chan time.Duration, 1)
	c.AfterFunc(d, func() { fired <- c.Now() })
	return fired
}

// A stopped process: its timers wait, and on Resume it finds that time has passed.
func TestPause(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		resume func(*memdriver.SkewClock)
		now    time.Duration // at Resume, 21 s after the start
		fired  time.Duration // by the clock; set for 5 s, paused at 1 s
		true   time.Duration // by the true time
	}{
		"the pause counts":         {(*memdriver.SkewClock).Resume, 21e9, 21e9, 21e9},
		"the pause does not count": {(*memdriver.SkewClock).ResumeBehind, 1e9, 5e9, 25e9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, c := time.Now(), memdriver.NewSkewClock()
				fired := after(c, 5*time.Second)
				time.Sleep(time.Second)
				c.Pause()
				c.Pause() // does nothing
				inPause := after(c, 0)
				time.Sleep(20 * time.Second)
				if got := c.Now(); got != time.Second {
					t.Errorf("a stopped clock shows %v, want 1s", got)
				}
				synctest.Wait()
				if len(fired)+len(inPause) != 0 {
					t.Error("a timer fired in the pause")
				}
				tc.resume(c)
				if got := c.Now(); got != tc.now {
					t.Errorf("shows %v on resuming, want %v", got, tc.now)
				}
				if got := <-inPause; got != tc.now {
					t.Errorf("a timer set in the pause fired at %v, want %v", got, tc.now)
				}
				if got := <-fired; got != tc.fired {
					t.Errorf("fired at %v of the clock, want %v", got, tc.fired)
				}
				if got := time.Since(start); got != tc.true {
					t.Errorf("fired at %v of the true time, want %v", got, tc.true)
				}
				c.Resume() // does nothing
			})
		})
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, c := time.Now(), memdriver.NewSkewClock()
		fired := after(c, 10*time.Second)
		time.Sleep(4 * time.Second)
		c.SetRate(2) // 6 s are left: 3 s of the true time
		<-fired
		if got := time.Since(start); got != 7*time.Second {
			t.Errorf("fired at %v, want 7s", got)
		}
		c.SetRate(0.5)
		time.Sleep(10 * time.Second)
		if got := c.Now(); got != 15*time.Second {
			t.Errorf("shows %v, want 15s", got)
		}
		// A rate that is set in a pause holds for all of it.
		c.Pause()
		time.Sleep(time.Second)
		c.SetRate(3)
		c.Resume()
		if got := c.Now(); got != 18*time.Second {
			t.Errorf("shows %v, want 18s", got)
		}
	})
}

// No rate makes a clock go back, or a timer fire before its time.
func TestOddRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := memdriver.NewSkewClock()
		last := c.Now()
		for _, rate := range []float64{1.0 / 3, 0.99, 7.0 / 9, 1e-3, 1.01, 1e3} {
			c.SetRate(rate)
			due := c.Now() + 1234567
			if got := <-after(c, 1234567); got < due {
				t.Errorf("rate %v: fired at %v, due at %v", rate, got, due)
			}
			if now := c.Now(); now < last {
				t.Errorf("rate %v: went back from %v to %v", rate, last, now)
			}
			last = c.Now()
		}
	})
}

func TestStopTimer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]driver.Clock{
			"of a handle": memdriver.New(),
			"skew":        memdriver.NewSkewClock(),
		} {
			stop := c.AfterFunc(time.Second, func() { t.Errorf("%s: a stopped timer fired", name) })
			if !stop() || stop() {
				t.Errorf("%s: stopping reported wrongly", name)
			}
			fired := make(chan struct{})
			stop = c.AfterFunc(time.Second, func() { close(fired) })
			<-fired
			if stop() {
				t.Errorf("%s: stopped a timer that had fired", name)
			}
		}
		time.Sleep(time.Minute)
	})
}

func TestRateMustBePositive(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("got no panic for a rate of 0")
		}
	}()
	memdriver.NewSkewClock().SetRate(0)
}

// stoppable is a process that can be stopped.
func stoppable(t *testing.T, store *memdriver.Store, f memdriver.Injector) (*memdriver.SkewClock, *memdriver.Driver, driver.Session) {
	t.Helper()
	c := memdriver.NewSkewClock()
	d := store.Connect(&memdriver.Options{Clock: c, Faults: f})
	return c, d, open(t, d, time.Hour)
}

// A stopped process sends nothing.
func TestStoppedProcessSendsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		c, _, s := stoppable(t, store, nil)
		c.Pause()
		time.AfterFunc(20*time.Second, c.Resume)
		time.AfterFunc(10*time.Second, func() {
			if got := store.Lines(); len(got) != 0 {
				t.Errorf("got %v from a stopped process", got)
			}
		})
		start := time.Now()
		must(t, s.Enter, claim("l", 1))
		if got := time.Since(start); got != 20*time.Second {
			t.Errorf("sent after %v, want 20s", got)
		}
	})
}

// A process that was stopped with a request under way gets the answer when it goes
// on, even if its context ended meanwhile: the answer was there first.
func TestStoppedProcessGetsAnswersLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		other := open(t, store.Connect(nil), time.Hour)
		head := must(t, other.Enter, claim("l", 1))
		c, _, s := stoppable(t, store, nil)
		p := must(t, s.Enter, claim("l", 2))

		time.AfterFunc(time.Second, c.Pause)
		time.AfterFunc(2*time.Second, func() { leave(t, other, head) })
		time.AfterFunc(20*time.Second, c.Resume)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		p, err := s.Wait(ctx, p)
		if err != nil || !p.Granted {
			t.Errorf("got %v, %v, want the grant", p.Granted, err)
		}
		if got := time.Since(start); got != 20*time.Second {
			t.Errorf("returned after %v, want 20s", got)
		}
	})
}

// It does not see its contexts end before it goes on.
func TestStoppedProcessSeesItsContextEndLate(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *memdriver.Driver, driver.Session) error{
		"wait": func(ctx context.Context, _ *memdriver.Driver, s driver.Session) error {
			_, err := s.Wait(ctx, driver.Place{Line: "l", ID: id(2)})
			return err
		},
		"watch": func(ctx context.Context, d *memdriver.Driver, _ driver.Session) error {
			for _, err := range d.Watch(ctx, driver.Query{Name: "l"}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"a call that hangs": func(ctx context.Context, _ *memdriver.Driver, s driver.Session) error {
			_, err := s.Renew(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, d, s := stoppable(t, memdriver.NewStore(), func(c memdriver.Call) memdriver.Fault {
					if c.Op == memdriver.OpRenew {
						return memdriver.Fault{Lose: memdriver.LoseAnswer, Hang: true}
					}
					return memdriver.Fault{}
				})
				must(t, s.Enter, claim("l", 1))
				must(t, s.Enter, claim("l", 2))
				time.AfterFunc(time.Second, c.Pause)
				time.AfterFunc(20*time.Second, c.Resume)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start := time.Now()
				wantErr(t, call(ctx, d, s), context.DeadlineExceeded)
				if got := time.Since(start); got != 20*time.Second {
					t.Errorf("returned after %v, want 20s", got)
				}
			})
		})
	}
}

// A watch of a stopped process delivers when it goes on, the last state.
func TestStoppedProcessWatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		other := open(t, store.Connect(nil), time.Hour)
		c, d, _ := stoppable(t, store, nil)
		time.AfterFunc(time.Second, c.Pause)
		time.AfterFunc(2*time.Second, func() { must(t, other.Enter, claim("l", 1)) })
		time.AfterFunc(3*time.Second, func() { must(t, other.Enter, claim("l", 2)) })
		time.AfterFunc(20*time.Second, c.Resume)
		start := time.Now()
		for snap, err := range d.Watch(t.Context(), driver.Query{Name: "l"}) {
			if err != nil {
				t.Fatal(err)
			}
			if snap.Full {
				continue
			}
			if got := len(snap.Lines[0].Places); got != 2 {
				t.Errorf("got %d places, want 2", got)
			}
			break
		}
		if got := time.Since(start); got != 20*time.Second {
			t.Errorf("delivered after %v, want 20s", got)
		}
	})
}

// A stopped process can be killed.
func TestStoppedProcessIsKilled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, d, s := stoppable(t, memdriver.NewStore(), nil)
		c.Pause()
		time.AfterFunc(time.Second, func() { _ = d.Close() })
		_, err := s.Enter(t.Context(), claim("l", 1))
		wantErr(t, err, driver.ErrClosed)
	})
}

// The store does not wait for a process that is stopped.
func TestStoppedProcessExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		c := memdriver.NewSkewClock()
		d := store.Connect(&memdriver.Options{Clock: c})
		s := open(t, d, 10*time.Second)
		must(t, s.Enter, claim("l", 1))
		c.Pause()
		time.Sleep(10 * time.Second)
		if got := store.Sessions(); len(got) != 0 {
			t.Errorf("got sessions %v, want none", got)
		}
		c.Resume()
		_, err := s.Renew(t.Context())
		wantErr(t, err, driver.ErrSessionLost)
	})
}
