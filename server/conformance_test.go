package server_test

import (
	"sync"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// TestConformance is the suite of all drivers, through a server of its own for each handle:
// so servers stand side by side over one store, as they do in life.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := &suite{handles: make(map[driver.Driver]handle)}
	drivertest.Run(t, drivertest.Harness{
		Open: s.open,
		Hooks: drivertest.Hooks{
			AddForeign: func(t testing.TB, d driver.Driver, line string) {
				if err := s.of(d).store.PutForeign(line, "lock-0000000001"); err != nil {
					t.Fatal(err)
				}
			},
			RemovePlace: func(t testing.TB, d driver.Driver, line, placeID string) {
				if !s.of(d).store.RemovePlace(line, placeID) {
					t.Fatalf("no place %s in line %q", placeID, line)
				}
			},
			EndSession: func(t testing.TB, d driver.Driver, sessionID string) {
				if !s.of(d).store.ExpireSession(sessionID) {
					t.Fatalf("no session %s", sessionID)
				}
			},
			LoseAnswer: func(_ testing.TB, d driver.Driver) { s.of(d).link.lose.Store(true) },
			Stall:      func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.stall() },
			Cut:        func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.sever() },
		},
	})
}

// suite knows what belongs to each handle.
type suite struct {
	mu      sync.Mutex
	handles map[driver.Driver]handle
}

type handle struct {
	store *memdriver.Store
	link  *link
}

func (s *suite) open(testing.TB) func(testing.TB) driver.Driver {
	store := memdriver.NewStore()
	return func(t testing.TB) driver.Driver {
		t.Helper()
		_, url := start(t, store.Connect(nil), nil)
		d, l := dial(t, url)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handles[d] = handle{store, l}
		return d
	}
}

func (s *suite) of(d driver.Driver) handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handles[d]
}
