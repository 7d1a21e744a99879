package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/supervise"
)

// fakeHold is a hold whose trust is what the test says.
type fakeHold struct {
	ctx  context.Context
	lose context.CancelCauseFunc

	mu    sync.Mutex
	until time.Time
}

func newHold(trusted time.Duration) *fakeHold {
	h := &fakeHold{}
	h.ctx, h.lose = context.WithCancelCause(context.Background())
	h.renew(trusted)
	return h
}

func (h *fakeHold) renew(trusted time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = time.Now().Add(trusted).Round(0) // as the library: without the monotonic time
}

func (h *fakeHold) Done() <-chan struct{} { return h.ctx.Done() }
func (h *fakeHold) Err() error            { return context.Cause(h.ctx) }

func (h *fakeHold) TrustedUntil() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return time.Time{}
	}
	return h.until
}

// fakeProcess is a command that does what the test says, and notes when it was told what.
type fakeProcess struct {
	begun  time.Time
	events chan child.Event
	obeys  bool          // it ends when it is asked to
	leaves time.Duration // how long its group outlasts a TERM after its own end
	jobs   bool          // we are to stop when it does
	alone  bool          // but nobody would continue us

	mu   sync.Mutex
	log  []string
	left bool
}

func newProcess() *fakeProcess {
	return &fakeProcess{begun: time.Now(), events: make(chan child.Event, 16)}
}

func (p *fakeProcess) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, fmt.Sprintf("%v %s", time.Since(p.begun), what))
}

func (p *fakeProcess) setLeft(left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = left
}

func (p *fakeProcess) exit(code int) { p.events <- child.Event{Type: child.Exited, Code: code} }

func (p *fakeProcess) Events() <-chan child.Event { return p.events }
func (p *fakeProcess) Signal(s os.Signal)         { p.note(s.String()) }

func (p *fakeProcess) Terminate() {
	p.note("TERM")
	if p.Left() && p.leaves > 0 {
		time.AfterFunc(p.leaves, func() { p.setLeft(false) })
	}
	if p.obeys {
		p.exit(143)
	}
}

func (p *fakeProcess) Kill() {
	p.note("KILL")
	p.setLeft(false)
	p.exit(137)
}

func (p *fakeProcess) Left() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

func (p *fakeProcess) Stopped(os.Signal) bool { return p.jobs }
func (p *fakeProcess) PassStop()              { p.note("STOP") }

func (p *fakeProcess) Suspend() bool {
	if p.alone {
		return false
	}
	p.note("suspend")
	return true
}

func (p *fakeProcess) Resume() {
	p.note("resume")
	p.exit(0)
}

var errEvicted = &holdgate.LostError{Name: "x", Reason: holdgate.LostEvicted, By: "ops"}

// TestRun shows what happens when. A grace is 2 s; the trust ends after 10 s.
func TestRun(t *testing.T) {
	t.Parallel()
	const grace, trusted = 2 * time.Second, 10 * time.Second
	for name, tc := range map[string]struct {
		maxHold  time.Duration
		harmless bool
		play     func(*fakeHold, *fakeProcess, chan os.Signal)
		code     int
		why      error
		log      []string
	}{
		"ends by itself": {
			play: func(_ *fakeHold, p *fakeProcess, _ chan os.Signal) { p.exit(7) },
			code: 7,
		},
		"not renewed: TERM a grace before the trust ends, KILL when it does": {
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(trusted, func() { h.lose(&holdgate.LostError{Reason: holdgate.LostExpired}) })
			},
			code: 137, why: supervise.ErrUnrenewed,
			log: []string{"8s TERM", "10s KILL"},
		},
		"not renewed, and it ends when asked": {
			play: func(_ *fakeHold, p *fakeProcess, _ chan os.Signal) { p.obeys = true },
			code: 143, why: supervise.ErrUnrenewed,
			log: []string{"8s TERM"},
		},
		"renewed in time: both moments move": {
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(7*time.Second, func() { h.renew(trusted) })
				time.AfterFunc(17*time.Second, func() { h.lose(&holdgate.LostError{Reason: holdgate.LostExpired}) })
			},
			code: 137, why: supervise.ErrUnrenewed,
			log: []string{"15s TERM", "17s KILL"},
		},
		"renewed after TERM: it still ends": {
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(9*time.Second, func() { h.renew(trusted) })
			},
			code: 137, why: supervise.ErrUnrenewed,
			log: []string{"8s TERM", "10s KILL"},
		},
		"the place is gone: KILL at once": {
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(time.Second, func() { h.lose(&holdgate.LostError{Reason: holdgate.LostRemoved}) })
			},
			code: 137, why: holdgate.ErrLost,
			log: []string{"1s KILL"},
		},
		"removed, and nothing was guarded: TERM, and KILL after the grace": {
			harmless: true,
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(time.Second, func() { h.lose(&holdgate.LostError{Reason: holdgate.LostRemoved}) })
			},
			code: 137, why: holdgate.ErrLost,
			log: []string{"1s TERM", "3s KILL"},
		},
		"evicted: TERM, and KILL after the grace": {
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(time.Second, func() { h.lose(errEvicted) })
			},
			code: 137, why: errEvicted,
			log: []string{"1s TERM", "3s KILL"},
		},
		"evicted after TERM: the trust ends when it did": {
			play: func(h *fakeHold, _ *fakeProcess, _ chan os.Signal) {
				time.AfterFunc(9*time.Second, func() { h.lose(errEvicted) })
			},
			code: 137, why: supervise.ErrUnrenewed,
			log: []string{"8s TERM", "9s TERM", "10s KILL"},
		},
		"held for too long": {
			maxHold: 3 * time.Second,
			play:    func(*fakeHold, *fakeProcess, chan os.Signal) {},
			code:    137, why: supervise.ErrMaxHold,
			log: []string{"3s TERM", "5s KILL"},
		},
		"what is left of the group gets TERM, and is waited for": {
			play: func(_ *fakeHold, p *fakeProcess, _ chan os.Signal) {
				p.left, p.leaves = true, time.Second
				time.AfterFunc(time.Second, func() { p.exit(0) })
			},
			log: []string{"1s TERM"},
		},
		"what is left of the group and does not end gets KILL": {
			play: func(_ *fakeHold, p *fakeProcess, _ chan os.Signal) {
				p.left = true
				time.AfterFunc(time.Second, func() { p.exit(3) })
			},
			code: 3,
			log:  []string{"1s TERM", "3s KILL"},
		},
		"signals are passed on": {
			play: func(_ *fakeHold, p *fakeProcess, signals chan os.Signal) {
				signals <- os.Interrupt
				signals <- child.ContinueSignal
				signals <- child.StopSignal
				time.AfterFunc(time.Second, func() { p.exit(0) })
			},
			log: []string{"0s interrupt", "0s continued", "0s STOP"},
		},
		"stopped: we stop too, and go on when continued": {
			play: func(_ *fakeHold, p *fakeProcess, signals chan os.Signal) {
				p.jobs = true
				p.events <- child.Event{Type: child.Stopped, Signal: child.StopSignal}
				time.AfterFunc(50*time.Millisecond, func() { signals <- child.ContinueSignal })
			},
			log: []string{"0s suspend", "50ms resume"},
		},
		"stopped, and nobody would continue us: it goes on": {
			play: func(_ *fakeHold, p *fakeProcess, _ chan os.Signal) {
				p.jobs, p.alone = true, true
				p.events <- child.Event{Type: child.Stopped, Signal: child.StopSignal}
			},
			log: []string{"0s resume"},
		},
		"lost while we were stopped: it is never continued": {
			play: func(h *fakeHold, p *fakeProcess, signals chan os.Signal) {
				p.jobs = true
				p.events <- child.Event{Type: child.Stopped, Signal: child.StopSignal}
				time.AfterFunc(50*time.Millisecond, func() {
					h.lose(&holdgate.LostError{Reason: holdgate.LostExpired})
					signals <- child.ContinueSignal
				})
			},
			code: 137, why: holdgate.ErrLost,
			log: []string{"0s suspend", "50ms KILL"},
		},
		"stopped by somebody else: the lock is kept": {
			play: func(_ *fakeHold, p *fakeProcess, _ chan os.Signal) {
				p.events <- child.Event{Type: child.Stopped, Signal: child.StopSignal}
				time.AfterFunc(time.Second, func() { p.exit(0) })
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, p, signals := newHold(trusted), newProcess(), make(chan os.Signal, 16)
				tc.play(h, p, signals)
				var told []error
				code, why := supervise.Run(h, p, supervise.Options{
					Grace: grace, MaxHold: tc.maxHold, Harmless: tc.harmless, Signals: signals,
					OnEnding: func(why error) { told = append(told, why) },
				})
				if code != tc.code || !errors.Is(why, tc.why) {
					t.Errorf("ended with %d, %v, want %d, %v", code, why, tc.code, tc.why)
				}
				if !slices.Equal(p.log, tc.log) {
					t.Errorf("the command saw %q, want %q", p.log, tc.log)
				}
				if (why != nil) != (len(told) == 1) {
					t.Errorf("told %v", told)
				}
			})
		})
	}
}
