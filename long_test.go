package holdgate_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// With a TTL of an hour a lost packet must not hold anybody up for a share of it.
const (
	longTTL = time.Hour
	// attemptLimit is how long one call may go without an answer.
	attemptLimit = 10 * time.Second
)

func startLong(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	return startProc(t, store, &holdgate.Options{TTL: longTTL, Handoff: holdgate.Handoff{Grants: 1}})
}

// A call that gets no answer is repeated, or given up, soon.
func TestHungCallOfLongSession(t *testing.T) {
	t.Parallel()
	hang := memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true}
	for name, call := range map[string]func(t *testing.T, p *proc, h *holdgate.Hold){
		"open": func(t *testing.T, p *proc, _ *holdgate.Hold) {
			fresh := startLong(t, p.drv.Store())
			fresh.faults.next(memdriver.OpOpen, hang)
			mustRelease(t, fresh.mustLock(t, "y"))
		},
		"enter": func(t *testing.T, p *proc, _ *holdgate.Hold) {
			p.faults.next(memdriver.OpEnter, hang)
			mustRelease(t, p.mustLock(t, "y"))
		},
		"try": func(t *testing.T, p *proc, _ *holdgate.Hold) {
			p.faults.next(memdriver.OpEnter, hang)
			_, err := p.Mutex("y").TryLock(t.Context())
			wantErr(t, err, holdgate.ErrUnavailable)
		},
		"swap": func(t *testing.T, p *proc, h *holdgate.Hold) {
			next := p.lockLater(t.Context(), "x")
			next.pending(t)
			p.faults.next(memdriver.OpSwap, hang)
			mustRelease(t, h)
			<-next.done
		},
		"leave": func(t *testing.T, p *proc, h *holdgate.Hold) {
			p.faults.next(memdriver.OpLeave, hang)
			mustRelease(t, h)
		},
		"leave, in the background": func(t *testing.T, p *proc, h *holdgate.Hold) {
			ended, end := context.WithCancel(t.Context())
			end()
			p.faults.next(memdriver.OpLeave, hang)
			wantErr(t, h.Release(ended), context.Canceled)
			<-begin(func() (*holdgate.Hold, error) { return p.Mutex("x").Lock(t.Context()) }).done
		},
		"evict": func(t *testing.T, p *proc, h *holdgate.Hold) {
			p.faults.next(memdriver.OpEvict, hang)
			if err := p.Evict(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Force: true}); err != nil {
				t.Error(err)
			}
		},
		"line": func(t *testing.T, p *proc, _ *holdgate.Hold) {
			p.faults.next(memdriver.OpLine, hang)
			_, err := p.Line(t.Context(), "x")
			wantErr(t, err, holdgate.ErrUnavailable)
		},
		"verify": func(t *testing.T, p *proc, h *holdgate.Hold) {
			p.faults.next(memdriver.OpLine, hang)
			wantErr(t, h.Verify(t.Context()), holdgate.ErrUnavailable)
			wantHeld(t, h)
		},
		"before an evict": func(t *testing.T, p *proc, h *holdgate.Hold) {
			p.faults.next(memdriver.OpLine, hang)
			err := p.Evict(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Force: true})
			wantErr(t, err, holdgate.ErrUnavailable)
		},
		"close": func(t *testing.T, p *proc, _ *holdgate.Hold) {
			p.faults.next(memdriver.OpClose, hang)
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startLong(t, memdriver.NewStore())
				h := p.mustLock(t, "x")
				begun := time.Now()
				call(t, p, h)
				if took := time.Since(begun); took > attemptLimit+time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// A renewal that gets no answer is sent again soon, and not when it is due the next time.
func TestHungRenewalOfLongSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startLong(t, memdriver.NewStore())
		h := p.mustLock(t, "x")
		p.faults.next(memdriver.OpRenew, memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true})
		pass(longTTL/4 + attemptLimit + time.Second)
		if n := p.faults.count(memdriver.OpRenew); n != 2 {
			t.Errorf("renewed %d times; want twice", n)
		}
		wantHeld(t, h)
	})
}

// While renewals fail, too, a call is not left to hang.
func TestHungCallWhileRenewalsFail(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startLong(t, memdriver.NewStore())
		p.warm(t)
		p.faults.always(memdriver.OpRenew, memdriver.Fault{Err: errStoreDown})
		pass(longTTL/4 + time.Second)
		p.faults.next(memdriver.OpEnter, memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true})
		mustRelease(t, p.lockLater(t.Context(), "x").granted(t, attemptLimit+time.Second))
	})
}

// What a late request left behind is found long before an hour has passed.
func TestReconcileLongSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startLong(t, store), startProc(t, store, nil)
		p.warm(t)
		p.faults.next(memdriver.OpEnter, memdriver.Fault{Delay: 30 * time.Second, Stray: true})
		mustRelease(t, p.mustLock(t, "x"))
		pass(30 * time.Second)
		if len(placesOf(store, "x")) != 1 {
			t.Fatal("there is no ghost: this run shows nothing")
		}
		mustRelease(t, other.lockLater(t.Context(), "x").granted(t, 2*time.Minute))
	})
}

// Close without a deadline is bounded, whatever the TTL.
func TestCloseOfLongSession(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startLong(t, memdriver.NewStore())
				p.mustLock(t, "x")
				p.drv.SetLink(link)
				p.killed = true // Close will not succeed
				begun := time.Now()
				wantErr(t, p.Close(t.Context()), holdgate.ErrUnavailable)
				if took := time.Since(begun); took > 3*attemptLimit+time.Second {
					t.Errorf("Close took %v", took)
				}
			})
		})
	}
}

// dozing is a driver with the clock of a machine that was suspended: the time has gone on,
// timers have not.
type dozing struct {
	*memdriver.Driver
	slept atomic.Int64
}

func (d *dozing) Now() time.Duration { return d.Driver.Now() + time.Duration(d.slept.Load()) }

var _ driver.Clock = (*dozing)(nil)

// The holder of a lock with a long TTL is told soon after its machine woke up, also if it
// asks nothing and only waits for the end of its context.
func TestS09_LongSuspend(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		drv := &dozing{Driver: memdriver.NewStore().Connect(nil)}
		c, err := holdgate.New(drv, &holdgate.Options{TTL: longTTL})
		if err != nil {
			t.Fatal(err)
		}
		defer drv.Close()
		defer c.Close(t.Context())
		h, err := c.Mutex("x").Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told := toldAt(h)
		pass(time.Second)
		woke := time.Now()
		drv.slept.Add(int64(2 * longTTL))
		pass(6 * time.Second)
		if told.when().IsZero() {
			t.Errorf("not told %v after the machine woke up", time.Since(woke))
		}
		wantLost(t, h, holdgate.LostExpired)
	})
}
