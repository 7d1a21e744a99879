package holdgate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Cancel at every point of acquiring: an error, and the lock is free soon; no error
// exactly when it is held.

// point is where a cancel comes.
type point struct {
	name string
	op   memdriver.Op
	// fault lets the call be where it is wanted, and calls cancel there.
	fault func(cancel func()) memdriver.Fault
}

var points = []point{
	{"before an Open is sent", memdriver.OpOpen, cancelBefore},
	{"while an Open is under way", memdriver.OpOpen, cancelUnderWay},
	{"after an Open was done", memdriver.OpOpen, cancelDone},
	{"while an Open is answered", memdriver.OpOpen, cancelAnswered},
	{"before an Enter is sent", memdriver.OpEnter, cancelBefore},
	{"while an Enter is under way", memdriver.OpEnter, cancelUnderWay},
	{"while an Enter is under way that cannot be overtaken", memdriver.OpEnter, cancelStray},
	{"after an Enter was done", memdriver.OpEnter, cancelDone},
	{"while an Enter is answered", memdriver.OpEnter, cancelAnswered},
	{"while an Enter hangs", memdriver.OpEnter, cancelHanging},
	{"before a Wait is sent", memdriver.OpWait, cancelBefore},
	{"after a Wait was done", memdriver.OpWait, cancelDone},
	{"while a Wait is answered", memdriver.OpWait, cancelAnswered},
	{"after a Wait that was woken early", memdriver.OpWait, cancelEarly},
}

func cancelBefore(cancel func()) memdriver.Fault { cancel(); return memdriver.Fault{} }

func cancelUnderWay(cancel func()) memdriver.Fault {
	time.AfterFunc(time.Second, cancel)
	return memdriver.Fault{Delay: 2 * time.Second}
}

func cancelStray(cancel func()) memdriver.Fault {
	f := cancelUnderWay(cancel)
	f.Stray = true
	return f
}

func cancelDone(cancel func()) memdriver.Fault { return memdriver.Fault{Applied: cancel} }

func cancelAnswered(cancel func()) memdriver.Fault {
	return memdriver.Fault{AnswerDelay: 2 * time.Second, Applied: func() { time.AfterFunc(time.Second, cancel) }}
}

func cancelHanging(cancel func()) memdriver.Fault {
	time.AfterFunc(time.Second, cancel)
	return memdriver.Fault{Lose: memdriver.LoseAnswer, Hang: true}
}

func cancelEarly(cancel func()) memdriver.Fault {
	return memdriver.Fault{WakeEarly: true, Applied: cancel}
}

func TestS27_CancelAnywhere(t *testing.T) {
	t.Parallel()
	for _, at := range points {
		t.Run(at.name, func(t *testing.T) {
			for mode, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
				for taking, try := range map[string]bool{"lock": false, "try": true} {
					if try && at.op == memdriver.OpWait {
						continue // a try does not wait
					}
					t.Run(mode+" "+taking, func(t *testing.T) {
						inBubble(t, func(t *testing.T) { cancelAt(t, at, opts, try) })
					})
				}
			}
		})
	}
}

func cancelAt(t *testing.T, at point, opts *holdgate.Options, try bool) {
	store := memdriver.NewStore()
	p, other := startProc(t, store, opts), startProc(t, store, nil)
	if at.op != memdriver.OpOpen {
		p.warm(t)
	}
	var first *holdgate.Hold
	if at.op == memdriver.OpWait {
		first = other.mustLock(t, "x")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	var cancelled moment
	stop := func() { cancelled.now(); cancel(errWork) }
	once := false
	p.faults.ask(at.op, func(memdriver.Call) memdriver.Fault {
		if once {
			return memdriver.Fault{}
		}
		once = true
		return at.fault(stop)
	})
	take := p.lockLater
	if try {
		take = p.tryLater
	}
	a := take(ctx, "x")
	synctest.Wait()
	if first != nil {
		mustRelease(t, first) // what a Wait waits for
	}
	a.answered(t, 5*time.Second)
	if cancelled.when().IsZero() {
		t.Fatal("it was not cancelled: this run shows nothing")
	}
	switch {
	case (a.hold == nil) == (a.err == nil):
		t.Fatalf("a hold and an error, or neither: %v, %v", a.hold, a.err)
	case a.err == nil:
		wantHeld(t, a.hold)
		mustRelease(t, a.hold)
	default:
		wantErr(t, a.err, errWork, holdgate.ErrNotAcquired)
		if errors.Is(a.err, holdgate.ErrBusy) {
			t.Errorf("%v matches ErrBusy", a.err)
		}
		if late := time.Since(cancelled.when()); late > 50*time.Millisecond {
			t.Errorf("told %v after the cancel", late)
		}
	}
	mustRelease(t, other.lockLater(t.Context(), "x").granted(t, time.Second))
	pass(ttl + time.Second)
	wantNothingLeft(t, store)
	if n := p.OwnPlaces(); n > 0 {
		t.Errorf("%d places are still known", n)
	}
	mustRelease(t, p.mustLock(t, "x"))
}
