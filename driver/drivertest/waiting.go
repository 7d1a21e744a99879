package drivertest

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// waiting is a place in line, and the call that awaits its grant.
type waiting struct {
	a *actor
	// place is what Enter returned; only its Line and ID are set where Enter waits.
	place  driver.Place
	cancel context.CancelCauseFunc
	// returned is closed when the call has ended; the fields below are set by then.
	returned chan struct{}
	got      driver.Place
	err      error
	at       time.Time
}

// queue enters a line that is taken, and waits there. When it returns, the place
// stands, except where Enter itself waits.
func (a *actor) queue(c driver.Claim) *waiting {
	a.Helper()
	if a.Layout == driver.LayoutSingle {
		w := a.newWaiting(driver.Place{Line: c.Line, ID: c.ID})
		w.start(func(ctx context.Context) (driver.Place, error) { return a.ses.Enter(ctx, c) })
		return w
	}
	return a.await(a.enter(c))
}

// await waits for the grant of a place in the background.
func (a *actor) await(p driver.Place) *waiting {
	w := a.newWaiting(p)
	w.start(w.wait)
	return w
}

func (a *actor) newWaiting(p driver.Place) *waiting {
	return &waiting{a: a, place: p, returned: make(chan struct{})}
}

// start makes the call in the background. It ends with the case's context at the
// latest; env.awaitCalls waits for it.
func (w *waiting) start(call func(context.Context) (driver.Place, error)) {
	ctx, cancel := context.WithCancelCause(w.a.Context())
	w.cancel = cancel
	w.a.calls.Go(func() {
		defer cancel(nil)
		w.got, w.err = call(ctx)
		w.at = time.Now()
		close(w.returned)
	})
}

func (w *waiting) wait(ctx context.Context) (driver.Place, error) {
	// Only these three fields may be used.
	p := driver.Place{Line: w.place.Line, ID: w.place.ID, Order: w.place.Order}
	return awaitGrant(ctx, w.a.ses, p)
}

var errPolls = errors.New("drivertest: Wait returned 1000 times without a grant, so its caller polls")

// awaitGrant calls Wait until the place is granted: an early return is allowed. But a
// driver that returns early over and over makes its caller poll.
func awaitGrant(ctx context.Context, ses driver.Session, p driver.Place) (driver.Place, error) {
	for range 1000 {
		got, err := ses.Wait(ctx, p)
		if err != nil || got.Granted {
			return got, err
		}
	}
	return driver.Place{}, errPolls
}

// pending checks that the call has not returned, after all that was caused so far.
func (w *waiting) pending() {
	w.a.Helper()
	w.a.settle()
	if !w.a.Synctest {
		// Once this answer is there, a push that was sent before it most likely is too.
		w.a.line(w.place.Line)
	}
	if w.place.Granted {
		w.a.Fatalf("%s in %q was granted when it entered", w.place.ID, w.place.Line)
	}
	if isClosed(w.returned) {
		w.a.Fatalf("the wait for %s in %q returned early: granted %v, error %v",
			w.place.ID, w.place.Line, w.got.Granted, w.err)
	}
}

// granted awaits the grant, which must come by itself now.
func (w *waiting) granted() driver.Place {
	w.a.Helper()
	return w.grantedWithin(patience)
}

func (w *waiting) grantedWithin(d time.Duration) driver.Place {
	w.a.Helper()
	w.await(d)
	w.a.must(w.err, "the wait for %s in %q", w.place.ID, w.place.Line)
	if !w.got.Granted {
		w.a.Fatalf("the wait for %s in %q ended without a grant", w.place.ID, w.place.Line)
	}
	if w.got.ID != w.place.ID || w.got.Line != w.place.Line {
		w.a.Fatalf("the wait for %s in %q returned the place %s in %q",
			w.place.ID, w.place.Line, w.got.ID, w.got.Line)
	}
	if w.place.Order != 0 && w.got.Order != w.place.Order {
		w.a.Fatalf("the wait for %s in %q returned the order %d of a place of order %d",
			w.place.ID, w.place.Line, w.got.Order, w.place.Order)
	}
	return w.got
}

// fails awaits the end of the call, which must be an error of this kind.
func (w *waiting) fails(kind error) {
	w.a.Helper()
	w.failsWithin(patience, kind)
}

func (w *waiting) failsWithin(d time.Duration, kind error) {
	w.a.Helper()
	w.await(d)
	if w.err == nil {
		w.a.Fatalf("the wait for %s in %q: granted %v, want the error %q",
			w.place.ID, w.place.Line, w.got.Granted, kind)
	}
	w.a.fails(w.err, kind, "the wait for %s in %q", w.place.ID, w.place.Line)
}

func (w *waiting) await(d time.Duration) {
	w.a.Helper()
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-w.returned:
	case <-limit.C:
		w.a.Fatalf("the wait for %s in %q is stuck: no wake-up for %v", w.place.ID, w.place.Line, d)
	}
}

// leave gives the place up.
func (w *waiting) leave() {
	w.a.Helper()
	w.a.leave(w.place)
}
