package drivertest

import (
	"cmp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Harness tells the suite how to reach a store.
type Harness struct {
	// Open gives an empty store of its own to one case. Each call of the function it
	// returns gives one more independent handle on that store, as another process
	// would have it. The suite closes the handles; Open registers with t what else has
	// to end. Both may be called concurrently.
	Open func(t testing.TB) (connect func(t testing.TB) driver.Driver)

	// Synctest runs each case in a testing/synctest bubble of its own: for stores that
	// are simulated in this process. Time is then fake, and its bounds exact.
	Synctest bool

	// TTL is the shortest time to live that is sensible on this store: 1 s when 0.
	// Cases that wait for an expiry take some multiples of it.
	TTL time.Duration

	// Hooks are what only an outsider can do to this store. All are optional.
	Hooks Hooks
}

// Hooks let a harness bring about what no driver call can. Each one is handed a
// handle that came from Open, to tell which store is meant.
type Hooks struct {
	// AddForeign puts an entry of other software at the end of a line.
	AddForeign func(t testing.TB, d driver.Driver, line string)

	// RemovePlace deletes a place as an operator would, in the store itself.
	RemovePlace func(t testing.TB, d driver.Driver, line, placeID string)

	// EndSession ends a session as an operator would, in the store itself.
	EndSession func(t testing.TB, d driver.Driver, sessionID string)

	// LoseAnswer has the next call that writes through this handle take effect, and
	// its answer lost.
	LoseAnswer func(t testing.TB, d driver.Driver)

	// Stall has the store leave all calls through this handle without an answer, until
	// resume is called.
	Stall func(t testing.TB, d driver.Driver) (resume func())

	// Cut makes the store unreachable through this handle, until heal is called.
	Cut func(t testing.TB, d driver.Driver) (heal func())
}

// defaultTTL is a Harness's TTL when it names none.
const defaultTTL = time.Second

// Run runs every case that applies to the driver, each as a subtest with a store of
// its own. It returns when all have ended.
func Run(t *testing.T, h Harness) {
	t.Helper()
	s := inspect(t, h)
	for _, name := range s.missingHooks() {
		t.Logf("the harness has no hook %s: the cases that need it are not part of this run", name)
	}
	var waiting sync.WaitGroup
	for _, c := range s.applicable() {
		if c.slow && !h.Synctest {
			// Such a case mostly waits for the store's clock. They all wait side by side,
			// however few tests may run in parallel; waiting.Wait below awaits them.
			waiting.Go(func() { runCase(t, s, c) })
			continue
		}
		runCase(t, s, c)
	}
	waiting.Wait()
}

func runCase(t *testing.T, s setting, c testCase) {
	t.Helper()
	t.Run(c.name, func(t *testing.T) {
		defer func() {
			if t.Failed() {
				t.Logf("why this case exists: %s", c.reason)
			}
		}()
		s.bubble(t, func(t *testing.T) { c.run(newEnv(t, s)) })
	})
}

// bubble runs f as the harness asks: in fake time, or in real time.
func (h Harness) bubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	if h.Synctest {
		synctest.Test(t, f)
		return
	}
	f(t)
}

// inspect opens a store to learn what the driver declares.
func inspect(t *testing.T, h Harness) setting {
	t.Helper()
	s := setting{Harness: h, ttl: cmp.Or(h.TTL, defaultTTL)}
	h.bubble(t, func(t *testing.T) {
		d := h.Open(t)(t)
		defer func() { _ = d.Close() }()
		s.Features = d.Features()
		_, s.clock = d.(driver.Clock)
		s.ttl = max(s.ttl, s.MinTTL)
		ses, err := d.Open(t.Context(), driver.SessionOptions{TTL: s.longTTL(), Owner: "drivertest"})
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		s.expires = ses.TTL() > 0
		if err := ses.Close(t.Context()); err != nil {
			t.Fatalf("Session.Close: %v", err)
		}
	})
	return s
}
