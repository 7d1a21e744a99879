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

var errWork = errors.New("the work went wrong")

func TestDo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		var h *holdgate.Hold
		err := p.Do(context.WithValue(t.Context(), colour{}, "red"), "x", func(ctx context.Context, held *holdgate.Hold) error {
			h = held
			wantHeld(t, h)
			if ctx.Value(colour{}) != "red" || ctx.Err() != nil {
				t.Errorf("the context has value %v and error %v", ctx.Value(colour{}), ctx.Err())
			}
			if _, err := p.Mutex("x").Lock(ctx); !errors.Is(err, holdgate.ErrDeadlock) {
				t.Errorf("locking again: %v", err)
			}
			return errWork
		})
		if err != errWork { //nolint:errorlint // exactly what fn returned
			t.Errorf("got %v; want exactly what fn returned", err)
		}
		wantErr(t, h.Err(), holdgate.ErrNotHeld)
		synctest.Wait()
		wantNothingLeft(t, store)
	})
}

// The function does not run without the lock.
func TestDoNotAcquired(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		startProc(t, store, nil).mustLock(t, "x")
		p := startProc(t, store, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := p.Do(ctx, "x", func(context.Context, *holdgate.Hold) error {
			t.Error("it ran")
			return nil
		})
		wantErr(t, err, context.DeadlineExceeded, holdgate.ErrNotAcquired)
	})
}

// A loss while the function runs ends its context with the cause, and is told beside
// what the function returned.
func TestDoLost(t *testing.T) {
	for name, returns := range map[string]error{"nil": nil, "an error": errWork} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				err := p.Do(t.Context(), "x", func(ctx context.Context, h *holdgate.Hold) error {
					store.RemovePlace("x", h.PlaceID())
					<-ctx.Done()
					wantErr(t, context.Cause(ctx), holdgate.ErrLost)
					return returns
				})
				wantErr(t, err, holdgate.ErrLost)
				if returns != nil {
					wantErr(t, err, returns)
				}
				var lost *holdgate.LostError
				if !errors.As(err, &lost) || lost.Reason != holdgate.LostRemoved {
					t.Errorf("got %v; want the reason", err)
				}
			})
		})
	}
}

// The end of the caller's context ends the function's, and not the hold.
func TestDoCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		err := p.Do(ctx, "x", func(ctx context.Context, h *holdgate.Hold) error {
			cancel(errWork)
			<-ctx.Done()
			wantHeld(t, h)
			return context.Cause(ctx)
		})
		if err != errWork { //nolint:errorlint // exactly what fn returned
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		wantNothingLeft(t, store)
	})
}

// A panic goes on to the caller, and the lock is released.
func TestDoPanics(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		func() {
			defer func() {
				if r := recover(); r != "oops" {
					t.Errorf("recovered %v; want oops", r)
				}
			}()
			_ = p.Do(t.Context(), "x", func(context.Context, *holdgate.Hold) error { panic("oops") })
		}()
		synctest.Wait()
		wantNothingLeft(t, store)
	})
}

// A function may release its hold itself; Do does not mind.
func TestDoReleasesItself(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		err := p.Do(t.Context(), "x", func(ctx context.Context, h *holdgate.Hold) error {
			mustRelease(t, h)
			wantErr(t, context.Cause(ctx), holdgate.ErrNotHeld)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, store)
	})
}

// Do does not wait for its release, which is tried until it succeeds.
func TestDoReleasesInBackground(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		begun := time.Now()
		err := p.Do(t.Context(), "x", func(context.Context, *holdgate.Hold) error {
			p.drv.SetLink(memdriver.LinkRefuses)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("Do waited %v for the release", took)
		}
		w := other.lockLater(t.Context(), "x")
		pass(5 * time.Second)
		w.pending(t)
		p.drv.SetLink(memdriver.LinkUp)
		mustRelease(t, w.granted(t, 2*time.Second))
	})
}

// A client that is closed while the function runs: the function is told, and so is
// the caller.
func TestDoClosed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		err := p.Do(t.Context(), "x", func(ctx context.Context, _ *holdgate.Hold) error {
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return nil
		})
		wantErr(t, err, holdgate.ErrClosed)
	})
}
