package broken

import (
	"context"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func wakeFaults() []Fault {
	return []Fault{
		{
			Name:     "lost wake-up",
			CaughtBy: []string{"wait/hand-over", "wait/ping-pong", "queue/first-come-first-served", "evict/wakes-those-behind", "swap/to-the-end"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					if now, stands := s.find(ctx, p.Line, p.ID); stands && !now.Granted {
						return s.d.deaf(ctx)
					}
					return s.Session.Wait(ctx, p)
				}
			},
		},
		{
			Name:     "lost wake-up of the third when the next leaves first",
			CaughtBy: []string{"queue/next-leaves-then-holder", "queue/random-leaves"},
			plant: func(do *overrides) {
				do.wait = forgetAfterPredecessor
			},
		},
		{
			Name:     "lost wake-up when two leave at once",
			CaughtBy: []string{"queue/next-and-holder-leave-at-once"},
			plant: func(do *overrides) {
				do.wait = hearOneLeave
			},
		},
		{
			Name:     "lost wake-up when the grant came before the wait",
			CaughtBy: []string{"wait/called-late"},
			plant:    loseEarlyWakeUps,
		},
		{
			Name:     "a lowered request wakes nobody",
			CaughtBy: []string{"update/downgrade-wakes-readers", "update/wakes-exactly-who-fits", "update/a-waiter-that-asks-for-less", "update/to-zero"},
			plant: func(do *overrides) {
				do.wait = hearRemovalsOnly
			},
		},
		{
			Name:     "a waiter is not told that it was removed",
			CaughtBy: []string{"evict/waiter", "wait/left-while-waiting", "evict/force-a-waiter", "operator/removes-a-holder", "operator/removes-a-waiter", "swap/of-a-waiter", "wait/gone"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					return s.waitOr(ctx, p, driver.ErrGone, s.d.deaf)
				}
			},
		},
		{
			Name:     "a waiter is not told that its session ended",
			CaughtBy: []string{"session/close-ends-its-waits", "expiry/waiter"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					return s.waitOr(ctx, p, driver.ErrSessionLost, s.d.deaf)
				}
			},
		},
		{
			Name:     "of two waits for one place one is woken",
			CaughtBy: []string{"wait/twice"},
			plant:    wakeOne,
		},
		{
			Name:     "a grant is told once",
			CaughtBy: []string{"wait/granted-stays-granted"},
			plant:    tellGrantOnce,
		},
		{
			Name:     "waiting is polling",
			CaughtBy: []string{"wait/does-not-poll"},
			plant: func(do *overrides) {
				do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
					if now, stands := s.find(ctx, p.Line, p.ID); stands {
						return now, nil
					}
					return s.Session.Wait(ctx, p)
				}
			},
		},
	}
}

// forgetAfterPredecessor watches the place ahead, and nothing once that has gone.
func forgetAfterPredecessor(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	ahead, forgets := "", false
	got, err := s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		if at > 0 && ahead == "" {
			ahead = l.Places[at-1].ID
		}
		forgets = !l.Places[at].Granted && ahead != "" && l.Find(ahead) < 0
		return l.Places[at].Granted || forgets
	})
	if forgets {
		return s.d.deaf(ctx)
	}
	return got, err
}

// hearOneLeave takes two removals that it sees together for one, which was not that
// of its own turn.
func hearOneLeave(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	before, misses := -1, false
	got, err := s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		misses = before >= 0 && before-at > 1
		before = at
		return l.Places[at].Granted || misses
	})
	if misses {
		return s.d.deaf(ctx)
	}
	return got, err
}

// loseEarlyWakeUps forgets a grant that nobody waited for yet.
func loseEarlyWakeUps(do *overrides) {
	var (
		mu     sync.Mutex
		queued = make(map[string]bool)
	)
	do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
		p, err := s.Session.Enter(ctx, c)
		mu.Lock()
		defer mu.Unlock()
		queued[c.ID] = err == nil && !p.Granted
		return p, err
	}
	do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		mu.Lock()
		wasQueued := queued[p.ID]
		delete(queued, p.ID)
		mu.Unlock()
		if now, stands := s.find(ctx, p.Line, p.ID); stands && now.Granted && wasQueued {
			return s.d.deaf(ctx)
		}
		return s.Session.Wait(ctx, p)
	}
}

// wakeOne has room for one wait of each place.
func wakeOne(do *overrides) {
	var (
		mu      sync.Mutex
		waiting = make(map[string]bool)
	)
	do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		mu.Lock()
		taken := waiting[p.ID]
		waiting[p.ID] = true
		mu.Unlock()
		if taken {
			return s.d.deaf(ctx)
		}
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			delete(waiting, p.ID)
		}()
		return s.Session.Wait(ctx, p)
	}
}

// tellGrantOnce takes a wait for a place that was granted before as one for the next
// change.
func tellGrantOnce(do *overrides) {
	var (
		mu   sync.Mutex
		told = make(map[string]bool)
	)
	do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		mu.Lock()
		before := told[p.ID]
		mu.Unlock()
		if before {
			return s.d.deaf(ctx)
		}
		got, err := s.Session.Wait(ctx, p)
		mu.Lock()
		defer mu.Unlock()
		told[p.ID] = err == nil && got.Granted
		return got, err
	}
}

// hearRemovalsOnly misses a grant that came without any place ahead being removed.
func hearRemovalsOnly(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	before := -1
	misses := false
	got, err := s.waitUntil(ctx, p, func(l driver.Line, at int) bool {
		granted := l.Places[at].Granted
		misses = granted && before == at
		if before < 0 || at < before {
			before = at
		}
		return granted
	})
	if misses {
		return s.d.deaf(ctx)
	}
	return got, err
}
