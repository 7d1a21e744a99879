package memdriver_test

import (
	"sync/atomic"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// handle is a handle whose next answer can be lost.
type handle struct {
	*memdriver.Driver
	lose atomic.Bool
}

func connect(store *memdriver.Store) *handle {
	h := &handle{}
	h.Driver = store.Connect(&memdriver.Options{Faults: func(c memdriver.Call) memdriver.Fault {
		if c.Op.Writes() && h.lose.CompareAndSwap(true, false) {
			return memdriver.Fault{Lose: memdriver.LoseAnswer}
		}
		return memdriver.Fault{}
	}})
	return h
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, drivertest.Harness{
		Open: func(testing.TB) func(testing.TB) driver.Driver {
			store := memdriver.NewStore()
			return func(testing.TB) driver.Driver { return connect(store) }
		},
		Synctest: true,
		Hooks: drivertest.Hooks{
			AddForeign: func(t testing.TB, d driver.Driver, line string) {
				if err := d.(*handle).Store().PutForeign(line, "lock-0000000001"); err != nil {
					t.Fatal(err)
				}
			},
			RemovePlace: func(t testing.TB, d driver.Driver, line, placeID string) {
				if !d.(*handle).Store().RemovePlace(line, placeID) {
					t.Fatalf("no place %s in line %q", placeID, line)
				}
			},
			EndSession: func(t testing.TB, d driver.Driver, sessionID string) {
				if !d.(*handle).Store().ExpireSession(sessionID) {
					t.Fatalf("no session %s", sessionID)
				}
			},
			LoseAnswer: func(_ testing.TB, d driver.Driver) { d.(*handle).lose.Store(true) },
			Stall:      func(_ testing.TB, d driver.Driver) func() { return cut(d, memdriver.LinkHangs) },
			Cut:        func(_ testing.TB, d driver.Driver) func() { return cut(d, memdriver.LinkRefuses) },
		},
	})
}

// cut changes the link of a handle, and returns what makes it whole.
func cut(d driver.Driver, l memdriver.Link) (heal func()) {
	d.(*handle).SetLink(l)
	return func() { d.(*handle).SetLink(memdriver.LinkUp) }
}
