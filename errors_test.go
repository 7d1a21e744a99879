package holdgate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Every way in which taking a lock ends without it: the kinds that the error matches,
// and those that it must not. A hold comes exactly when there is no error.
func TestErrorsOfTaking(t *testing.T) {
	errWhy := errors.New("tired of waiting")
	lock := func(ctx context.Context, p *proc) (*holdgate.Hold, error) { return p.Mutex("x").Lock(ctx) }
	try := func(ctx context.Context, p *proc) (*holdgate.Hold, error) { return p.Mutex("x").TryLock(ctx) }
	busy := func(t *testing.T, p *proc) { startProc(t, p.drv.Store(), nil).mustLock(t, "x") }
	fails := func(err error) func(*testing.T, *proc) {
		return func(_ *testing.T, p *proc) { p.faults.always(memdriver.OpEnter, memdriver.Fault{Err: err}) }
	}
	for name, tt := range map[string]struct {
		before func(t *testing.T, p *proc)
		ctx    func(ctx context.Context) context.Context
		take   func(ctx context.Context, p *proc) (*holdgate.Hold, error)
		is     []error
		isNot  []error
	}{
		"busy": {
			before: busy, take: try,
			is: []error{holdgate.ErrBusy}, isNot: []error{holdgate.ErrNotAcquired, holdgate.ErrUnavailable},
		},
		"deadline while waiting": {
			before: busy, take: lock,
			ctx: func(ctx context.Context) context.Context {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				context.AfterFunc(ctx, cancel)
				return ctx
			},
			is: []error{context.DeadlineExceeded, holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrBusy},
		},
		"cancelled with a cause": {
			before: busy, take: lock,
			ctx: func(ctx context.Context) context.Context {
				ctx, cancel := context.WithCancelCause(ctx)
				time.AfterFunc(time.Second, func() { cancel(errWhy) })
				return ctx
			},
			is: []error{errWhy, holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrBusy, context.Canceled},
		},
		"cancelled before": {
			take: lock,
			ctx: func(ctx context.Context) context.Context {
				ctx, cancel := context.WithCancelCause(ctx)
				cancel(errWhy)
				return ctx
			},
			is: []error{errWhy, holdgate.ErrNotAcquired},
		},
		"tried with a context that has ended": {
			take: try,
			ctx: func(ctx context.Context) context.Context {
				ctx, cancel := context.WithCancelCause(ctx)
				cancel(errWhy)
				return ctx
			},
			is: []error{errWhy, holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrBusy},
		},
		"unavailable": {
			before: fails(driver.ErrUnavailable), take: lock,
			is: []error{holdgate.ErrUnavailable, holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrBusy},
		},
		"unavailable for a try": {
			before: fails(driver.ErrUnavailable), take: try,
			is: []error{holdgate.ErrUnavailable, holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrBusy},
		},
		"denied": {
			before: fails(driver.ErrDenied), take: lock,
			is: []error{holdgate.ErrDenied, holdgate.ErrNotAcquired},
		},
		"unsupported": {
			before: fails(driver.ErrUnsupported), take: lock,
			is: []error{holdgate.ErrUnsupported, holdgate.ErrNotAcquired},
		},
		"too large": {
			before: fails(driver.ErrTooLarge), take: lock,
			is: []error{driver.ErrTooLarge, holdgate.ErrNotAcquired},
		},
		"the store denies sessions": {
			before: func(_ *testing.T, p *proc) {
				p.faults.always(memdriver.OpOpen, memdriver.Fault{Err: driver.ErrDenied})
			},
			take: lock, is: []error{holdgate.ErrDenied, holdgate.ErrNotAcquired},
		},
		"another kind": {
			before: func(t *testing.T, p *proc) { enterAs(t, p.drv.Store(), "x", driver.KindSemaphore, 4) },
			take:   lock, is: []error{holdgate.ErrMismatch, holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrBusy},
		},
		"bad name": {
			take: func(ctx context.Context, p *proc) (*holdgate.Hold, error) { return p.Mutex("").Lock(ctx) },
			is:   []error{holdgate.ErrInvalidName, driver.ErrInvalid},
		},
		"closed": {
			before: func(t *testing.T, p *proc) {
				if err := p.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
			},
			take: lock, is: []error{holdgate.ErrClosed, holdgate.ErrNotAcquired}, isNot: []error{driver.ErrClosed},
		},
		"own hold": {
			take: func(ctx context.Context, p *proc) (*holdgate.Hold, error) {
				h, err := p.Mutex("x").Lock(ctx)
				if err != nil {
					return h, err
				}
				return p.Mutex("x").Lock(h.Context())
			},
			is: []error{holdgate.ErrDeadlock}, isNot: []error{holdgate.ErrBusy},
		},
		"removed while waiting": {
			before: func(t *testing.T, p *proc) {
				busy(t, p)
				time.AfterFunc(time.Second, func() {
					p.drv.Store().RemovePlace("x", placesOf(p.drv.Store(), "x")[1].ID)
				})
			},
			take: lock, is: []error{holdgate.ErrNotAcquired}, isNot: []error{holdgate.ErrLost, holdgate.ErrBusy},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for mode, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
				t.Run(mode, func(t *testing.T) {
					inBubble(t, func(t *testing.T) {
						p := startProc(t, memdriver.NewStore(), opts)
						if tt.before != nil {
							tt.before(t, p)
						}
						ctx := t.Context()
						if tt.ctx != nil {
							ctx = tt.ctx(ctx)
						}
						h, err := tt.take(ctx, p)
						if h != nil {
							t.Errorf("a hold beside the error %v", err)
						}
						wantErr(t, err, tt.is...)
						for _, not := range tt.isNot {
							if errors.Is(err, not) {
								t.Errorf("%q matches %q", err, not)
							}
						}
					})
				})
			}
		})
	}
}

// enterAs puts a place of some kind in a line, as another program would.
func enterAs(t testing.TB, store *memdriver.Store, line string, kind driver.Kind, capacity int64) {
	t.Helper()
	drv := store.Connect(nil)
	s, err := drv.Open(t.Context(), driver.SessionOptions{TTL: time.Hour, Owner: "another program"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Enter(t.Context(), driver.Claim{
		Line: line, ID: "00000000000000000000000000000001", Kind: kind, Capacity: capacity, Units: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { drv.Close() })
}

func TestLostError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  holdgate.LostError
		want string
	}{
		{holdgate.LostError{Name: "x", Reason: holdgate.LostExpired}, `lock lost: "x": expired`},
		{holdgate.LostError{Name: "x", Reason: holdgate.LostSession, Err: driver.ErrSessionLost}, `lock lost: "x": session gone: session lost`},
		{holdgate.LostError{Name: "x", Reason: holdgate.LostRemoved}, `lock lost: "x": removed`},
		{holdgate.LostError{Name: "x", Reason: holdgate.LostEvicted, By: "ops", Message: "too long"}, `lock lost: "x": evicted by "ops": "too long"`},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q; want %q", got, tt.want)
		}
		wantErr(t, &tt.err, holdgate.ErrLost)
		if tt.err.Err != nil {
			wantErr(t, &tt.err, tt.err.Err)
		}
	}
}

// Sentinels that are the driver's own match errors of drivers; the others do not.
func TestSentinels(t *testing.T) {
	t.Parallel()
	for ours, drivers := range map[error]error{
		holdgate.ErrBusy:        driver.ErrBusy,
		holdgate.ErrUnavailable: driver.ErrUnavailable,
		holdgate.ErrUnsupported: driver.ErrUnsupported,
		holdgate.ErrDenied:      driver.ErrDenied,
		holdgate.ErrMismatch:    driver.ErrMismatch,
	} {
		wantErr(t, drivers, ours)
	}
	all := []error{
		holdgate.ErrBusy, holdgate.ErrLost, holdgate.ErrNotHeld, holdgate.ErrNotAcquired, holdgate.ErrClosed,
		holdgate.ErrUnavailable, holdgate.ErrUnsupported, holdgate.ErrDenied, holdgate.ErrInvalidName,
		holdgate.ErrDeadlock, holdgate.ErrMismatch,
	}
	for i, a := range all {
		for j, b := range all {
			if i != j && errors.Is(a, b) {
				t.Errorf("%q matches %q", a, b)
			}
		}
	}
}
