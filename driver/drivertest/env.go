package drivertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// patience is how long a case waits for an event that must come. It is far beyond
// what a store needs, so that only a fault runs into it. In fake time it costs
// nothing.
const patience = 10 * time.Second

// env is what one case works with: a fresh store, and the test that it reports to.
type env struct {
	testing.TB
	setting
	connect func(testing.TB) driver.Driver
	// calls counts the goroutines of this case; all end when its context has.
	calls sync.WaitGroup
}

func newEnv(tb testing.TB, s setting) *env {
	e := &env{TB: tb, setting: s, connect: s.Open(tb)}
	// Runs last of all clean-ups of the case, when its context and its handles are
	// closed: a call that still hangs then ignores both.
	tb.Cleanup(e.awaitCalls)
	return e
}

func (e *env) awaitCalls() {
	ended := make(chan struct{})
	// Ends with the calls; awaited right below, unless a call never ends.
	go func() { defer close(ended); e.calls.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience):
		e.Errorf("a call is still under way %v after its context and its driver were closed", patience)
	}
}

// dial gives one more handle on the store, closed when the case ends.
func (e *env) dial() driver.Driver {
	e.Helper()
	d := e.connect(e.TB)
	e.Cleanup(func() { _ = d.Close() })
	return d
}

// ctx bounds a call that must come back by itself.
func (e *env) ctx() context.Context { return e.ctxFor(patience) }

func (e *env) ctxFor(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(e.Context(), d, errSlow)
	e.Cleanup(cancel)
	return ctx
}

var errSlow = errors.New("drivertest: the call did not come back in time")

// settle lets everything happen that is under way in the store, where that can be
// known: in fake time, since a simulated network takes no longer than this.
func (e *env) settle() {
	if e.Synctest {
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
	}
}

// lag is how late an event may be seen that the store's clock brings about.
func (e *env) lag() time.Duration {
	if e.Synctest {
		return time.Second
	}
	return 5 * time.Second
}

// promptly is how soon a call must be back after its context ended: the 50 ms of the
// contract where time is exact, and what a loaded machine needs elsewhere.
func (e *env) promptly() time.Duration {
	if e.Synctest {
		return 50 * time.Millisecond
	}
	return time.Second
}

// rounds scales a loop: n where a round trip costs nothing, a tenth on real stores.
func (e *env) rounds(n int) int {
	if e.Synctest {
		return n
	}
	return max(n/10, 5)
}

// awaits an event that must come by itself.
func (e *env) awaits(event <-chan struct{}, what string) {
	e.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-event:
	case <-limit.C:
		e.Fatalf("never came: %s", what)
	}
}

// eventually asks until the answer is yes: for what the contract lets lag, and tells
// by no event.
func (e *env) eventually(what string, holds func() bool) {
	e.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			e.Fatalf("never came true: %s", what)
		}
	}
}

// newRand is the same sequence in every run, so that a failure can be repeated.
func newRand() *mathrand.Rand { return mathrand.New(mathrand.NewPCG(7, 11)) }

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return hex.EncodeToString(b[:])
}

// mutex is a claim for the whole of a line.
func mutex(line string) driver.Claim {
	return driver.Claim{Line: line, ID: newID(), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

func try(c driver.Claim) driver.Claim {
	c.Try = true
	return c
}

func reader(line string) driver.Claim {
	return driver.Claim{Line: line, ID: newID(), Kind: driver.KindRW, Capacity: driver.MaxCapacity, Units: 1}
}

func writer(line string) driver.Claim {
	c := reader(line)
	c.Units = driver.MaxCapacity
	return c
}

func permits(line string, capacity, units int64) driver.Claim {
	return driver.Claim{Line: line, ID: newID(), Kind: driver.KindSemaphore, Capacity: capacity, Units: units}
}

func presence(line string) driver.Claim {
	return driver.Claim{Line: line, ID: newID(), Kind: driver.KindPresence, Capacity: 1, Units: 0}
}
