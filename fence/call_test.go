package fence_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/fence"
)

// A paused holder's call is still running when the next holder's comes: it is told, and no
// effect of the next one comes before it has returned.
func TestANewerCallWaitsForAnOlderOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g fence.Gate
		var log []string
		older, newer := make(chan error, 1), make(chan error, 1)
		go func() {
			older <- g.Do(t.Context(), pass(1), func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(time.Hour) // what it does last takes its time
				log = append(log, "older")
				return context.Cause(ctx)
			})
		}()
		synctest.Wait()
		begun := time.Now()
		go func() {
			newer <- g.Do(t.Context(), pass(2), func(context.Context) error {
				log = append(log, "newer")
				return nil
			})
		}()
		synctest.Wait()
		// It waits already, and so nobody older is let in any more.
		wantStale(t, g.Do(t.Context(), pass(1), nil), fence.StaleError{Name: "orders/42", Token: 1, Newest: 2})
		if err := <-newer; err != nil {
			t.Errorf("the newer one: %v", err)
		}
		if waited := time.Since(begun); waited != time.Hour {
			t.Errorf("the newer one waited %v, want until the older one had returned", waited)
		}
		wantStale(t, <-older, fence.StaleError{Name: "orders/42", Token: 1, Newest: 2})
		if len(log) != 2 || log[0] != "older" {
			t.Errorf("the order of effects: %v", log)
		}
	})
}

func TestCallsOfOneGrantRunTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g fence.Gate
		var inside atomic.Int32
		meet := func(context.Context) error {
			inside.Add(1)
			for inside.Load() < 3 {
				time.Sleep(time.Millisecond)
			}
			return nil
		}
		done := make(chan error, 3)
		for range 3 {
			go func() { done <- g.Do(t.Context(), pass(1), meet) }()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// Three holders one after the other, while the first does not return: the second is
// refused before it has begun.
func TestAWaiterBecomesStale(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g fence.Gate
		end := make(chan struct{})
		done := make(chan error, 3)
		do := func(p fence.Pass, fn func(context.Context) error) {
			go func() { done <- g.Do(t.Context(), p, fn) }()
			synctest.Wait()
		}
		do(pass(1), func(context.Context) error { <-end; return nil })
		do(pass(2), func(context.Context) error { t.Error("the second was let in"); return nil })
		do(pass(3), func(context.Context) error { return nil })
		close(end)
		refused := 0
		for range 3 {
			err := <-done
			if errors.Is(err, fence.ErrStale) {
				wantStale(t, err, fence.StaleError{Name: "orders/42", Token: 2, Newest: 3})
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if refused != 1 {
			t.Errorf("%d were refused, want the second", refused)
		}
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g fence.Gate
		end, done := make(chan struct{}), make(chan error, 1)
		go func() { done <- g.Do(t.Context(), pass(1), func(context.Context) error { <-end; return nil }) }()
		synctest.Wait()
		cause := errors.New("out of patience")
		ctx, stop := context.WithTimeoutCause(t.Context(), time.Minute, cause)
		defer stop()
		err := g.Do(ctx, pass(2), func(context.Context) error { t.Error("it was let in"); return nil })
		if !errors.Is(err, cause) || errors.Is(err, fence.ErrStale) {
			t.Errorf("got the error %v, want %v", err, cause)
		}
		if err := g.Do(ctx, pass(3), nil); !errors.Is(err, cause) {
			t.Errorf("with a context that has ended: got the error %v", err)
		}
		close(end)
		if err := <-done; err != nil {
			t.Errorf("an older call that succeeded: %v", err)
		}
	})
}

// What fn answers is passed on, and a panic leaves nobody in the way.
func TestTheEndOfACall(t *testing.T) {
	t.Parallel()
	var g fence.Gate
	own := errors.New("own")
	if err := g.Do(t.Context(), pass(1), func(context.Context) error { return own }); !errors.Is(err, own) || errors.Is(err, fence.ErrStale) {
		t.Errorf("got the error %v, want fn's own", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = g.Do(t.Context(), pass(1), func(context.Context) error { panic("fn") })
	}()
	if err := g.Do(t.Context(), pass(2), func(context.Context) error { return nil }); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// A name whose call runs is not forgotten.
func TestACallKeepsItsName(t *testing.T) {
	t.Parallel()
	g := newGate(t, &fence.GateOptions{Names: 2})
	err := g.Do(t.Context(), pass(1), func(ctx context.Context) error {
		for i := range 100 {
			if err := g.Check(fence.Pass{Name: string(rune('a' + i)), Token: 100}); err != nil {
				t.Fatal(err)
			}
		}
		if g.Newest("orders/42") != 1 {
			t.Error("it was forgotten")
		}
		_ = g.Check(pass(2))
		return context.Cause(ctx)
	})
	wantStale(t, err, fence.StaleError{Name: "orders/42", Token: 1, Newest: 2})
}
