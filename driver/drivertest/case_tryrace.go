package drivertest

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func tryRaceCases() []testCase {
	return []testCase{
		{
			name: "try/one-wins",
			reason: "Several tries at once on a free line: one of them gets it, never two, and never none, " +
				"unless the driver says that tries may fail spuriously (S36).",
			run: tryOneWins,
		},
		{
			name: "try/beside-a-leaving-holder",
			reason: "A try that meets a release sees the line before or after it. It may lose, but leaves " +
				"nothing behind, and never joins a holder.",
			run: tryBesideLeaving,
		},
	}
}

func tryOneWins(e *env) {
	actors := e.actors(6)
	for range e.rounds(100) {
		winners := e.race(actors, func(a *actor) (driver.Place, error) {
			return a.ses.Enter(e.ctx(), try(mutex("orders")))
		})
		if len(winners) > 1 || len(winners) == 0 && !e.TryMayFailSpuriously {
			e.Fatalf("%d of %d tries at once won, want one", len(winners), len(actors))
		}
		actors[0].stands("orders", slices.Collect(maps.Values(winners))...)
		for a, p := range winners {
			a.leave(p)
		}
	}
}

// actors starts n processes.
func (e *env) actors(n int) []*actor {
	e.Helper()
	actors := make([]*actor, n)
	for i := range actors {
		actors[i] = e.actor()
	}
	return actors
}

// race has all actors try at the same time, and returns those that were granted.
// The others must have been told that the line is busy.
func (e *env) race(actors []*actor, attempt func(*actor) (driver.Place, error)) map[*actor]driver.Place {
	e.Helper()
	var (
		mu      sync.Mutex
		winners = make(map[*actor]driver.Place)
		calls   sync.WaitGroup
	)
	for _, a := range actors {
		// Each ends with its attempt, and is awaited below.
		calls.Go(func() {
			p, err := attempt(a)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && p.Granted:
				winners[a] = p
			case !errors.Is(err, driver.ErrBusy):
				e.Errorf("a try against others: granted %v, error %v; want a grant or busy", p.Granted, err)
			}
		})
	}
	calls.Wait()
	return winners
}

func tryBesideLeaving(e *env) {
	actors := e.actors(3)
	holder, rivals := actors[0], actors[1:]
	for range e.rounds(100) {
		p := holder.take(mutex("orders"))
		var leaving sync.WaitGroup
		leaving.Go(func() {
			if err := holder.ses.Leave(e.ctx(), p.Line, p.ID); err != nil {
				e.Errorf("Leave beside tries: %v", err)
			}
		})
		winners := e.race(rivals, func(a *actor) (driver.Place, error) {
			return a.ses.Enter(e.ctx(), try(mutex("orders")))
		})
		leaving.Wait()
		if len(winners) > 1 {
			e.Fatalf("%d tries won at once", len(winners))
		}
		for a, p := range winners {
			a.stands("orders", p)
			a.leave(p)
		}
		holder.stands("orders")
	}
}
