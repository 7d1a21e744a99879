package holdgate_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// What a lock costs the garbage collector. Not in parallel: all that the program makes is
// counted.

// allocations is how many objects it takes, on average, what f does.
func allocations(t *testing.T, f func()) float64 {
	t.Helper()
	if underRace {
		t.Skip("the race detector makes objects of its own")
	}
	f() // what is made once
	return testing.AllocsPerRun(1000, f)
}

func lockOnce(ctx context.Context, t *testing.T, m holdgate.Mutex) {
	t.Helper()
	h, err := m.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Release(ctx); err != nil {
		t.Fatal(err)
	}
}

// A free lock on the memory driver, and its release. The store's place, its ID, and a context
// for each of the two calls are among it.
func TestAllocationsOfAFreeLock(t *testing.T) {
	ctx := t.Context()
	m := newClient(t, memdriver.NewStore(), nil).Mutex("x")
	if n := allocations(t, func() { lockOnce(ctx, t, m) }); n > 10 {
		t.Errorf("%v allocations; want at most 10", n)
	}
}

// A lock that is passed on within the process takes one object, the Hold: the caller may keep
// that, and ask it, for ever, so it cannot be used again. The same goes for one that lingers.
func TestAllocationsOfAHandOff(t *testing.T) {
	ctx := t.Context()
	m := newClient(t, memdriver.NewStore(), &holdgate.Options{Handoff: holdgate.Handoff{Time: time.Second}}).Mutex("x")
	next, turn := make(chan struct{}), make(chan *holdgate.Hold)
	go func() { // ends with the test, which closes next
		for range next {
			h, err := m.Lock(ctx)
			if err != nil {
				t.Error(err)
			}
			turn <- h
		}
	}()
	defer close(next)
	h, err := m.Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	n := allocations(t, func() {
		next <- struct{}{}
		runtime.Gosched() // on one processor: until the other one waits
		if err := h.Release(ctx); err != nil {
			t.Fatal(err)
		}
		last := h.PlaceID()
		if h = <-turn; h.PlaceID() == last {
			passed++
		}
	})
	if passed < 900 {
		t.Errorf("passed on %d times of 1,000", passed)
	}
	if n > 1 { // every 200th time the place goes to the end of the line, which takes some more
		t.Errorf("%v allocations for a hand-over; want 1", n)
	}
	if err := h.Release(ctx); err != nil {
		t.Error(err)
	}
}

func TestAllocationsOfALockThatLingers(t *testing.T) {
	ctx := t.Context()
	store := memdriver.NewStore()
	m := newClient(t, store, &holdgate.Options{Linger: holdgate.MaxLinger}).Mutex("x")
	for placesOf(store, "x") == nil { // until the watch stands
		lockOnce(ctx, t, m)
		runtime.Gosched()
	}
	if n := allocations(t, func() { lockOnce(ctx, t, m) }); n > 1 {
		t.Errorf("%v allocations; want 1", n)
	}
}
