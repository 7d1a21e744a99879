package drivertest_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// TestMemory is the suite on the reference driver.
func TestMemory(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, memory(memdriver.Options{}))
}

// TestMemoryFarAway is the suite where every request and every answer takes a while,
// so that calls overlap, and overtake each other.
func TestMemoryFarAway(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, memory(memdriver.Options{Faults: far}))
}

// far delays a call on its way there and back.
func far(memdriver.Call) memdriver.Fault {
	return memdriver.Fault{
		Delay:       rand.N(time.Millisecond),
		AnswerDelay: rand.N(time.Millisecond),
	}
}

// TestMemoryLags is what the suite says about time where a renewal counts only after
// a while.
func TestMemoryLags(t *testing.T) {
	t.Parallel()
	lagging := memory(memdriver.Options{RenewLag: 300 * time.Millisecond})
	for _, failure := range drivertest.Failures(t, lagging,
		"expiry/frees-in-time", "expiry/not-renewed", "expiry/renewed-stays", "expiry/waiter") {
		t.Error(failure)
	}
}

// TestMemoryInRealTime is the suite as real stores run it.
func TestMemoryInRealTime(t *testing.T) {
	t.Parallel()
	h := memory(memdriver.Options{})
	h.Synctest, h.TTL = false, 500*time.Millisecond
	drivertest.Run(t, h)
}

// TestMemoryNudges is the suite where sessions hear by themselves of what happens to them.
func TestMemoryNudges(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, memory(memdriver.Options{Nudge: true, Faults: far}))
}

// memory is a harness for the reference driver, with all its hooks.
func memory(o memdriver.Options) drivertest.Harness {
	return drivertest.Harness{
		Open: func(testing.TB) func(testing.TB) driver.Driver {
			store := memdriver.NewStore()
			return func(testing.TB) driver.Driver { return dial(store, o) }
		},
		Synctest: true,
		Hooks: drivertest.Hooks{
			AddForeign: func(t testing.TB, d driver.Driver, line string) {
				if err := handleOf(d).Store().PutForeign(line, "other-software"); err != nil {
					t.Errorf("put a foreign place: %v", err)
				}
			},
			RemovePlace: func(t testing.TB, d driver.Driver, line, placeID string) {
				if !handleOf(d).Store().RemovePlace(line, placeID) {
					t.Errorf("no place %s to remove in %q", placeID, line)
				}
			},
			EndSession: func(t testing.TB, d driver.Driver, sessionID string) {
				if !handleOf(d).Store().ExpireSession(sessionID) {
					t.Errorf("no session %s to end", sessionID)
				}
			},
			LoseAnswer: func(_ testing.TB, d driver.Driver) { handleOf(d).loseNext.Store(true) },
			Stall: func(_ testing.TB, d driver.Driver) (resume func()) {
				handleOf(d).SetLink(memdriver.LinkHangs)
				return func() { handleOf(d).SetLink(memdriver.LinkUp) }
			},
			Cut: func(_ testing.TB, d driver.Driver) (heal func()) {
				handleOf(d).SetLink(memdriver.LinkRefuses)
				return func() { handleOf(d).SetLink(memdriver.LinkUp) }
			},
		},
	}
}

// handle is a handle whose next answer can be lost.
type handle struct {
	*memdriver.Driver
	loseNext *atomic.Bool
}

func dial(store *memdriver.Store, o memdriver.Options) handle {
	loseNext, faults := new(atomic.Bool), o.Faults
	o.Faults = func(c memdriver.Call) memdriver.Fault {
		var f memdriver.Fault
		if faults != nil {
			f = faults(c)
		}
		switch c.Op {
		case memdriver.OpEnter, memdriver.OpLeave, memdriver.OpSwap:
			if loseNext.Swap(false) {
				f.Lose = memdriver.LoseAnswer
			}
		}
		return f
	}
	return handle{Driver: store.Connect(&o), loseNext: loseNext}
}

// handleOf finds the handle under what was planted on it.
func handleOf(d driver.Driver) handle {
	for {
		switch under := d.(type) {
		case handle:
			return under
		case interface{ Unwrap() driver.Driver }:
			d = under.Unwrap()
		default:
			panic(fmt.Sprintf("no handle of the memory store under a %T", d))
		}
	}
}
