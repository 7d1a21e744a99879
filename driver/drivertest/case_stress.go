package drivertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func stressCases() []testCase {
	return []testCase{
		{
			name: "stress/mutex",
			reason: "Many processes, many goroutines, one lock, and some that give up at any moment: never " +
				"two holders, rising orders, nobody stuck, and nothing left (S25, S27).",
			run: stressMutex,
		},
		{
			name:   "stress/readers-and-writers",
			reason: "As for the mutex, with readers that share and writers that do not.",
			needs:  all(queue, shared),
			run:    stressReadersAndWriters,
		},
		{
			name:   "stress/permits",
			reason: "As for the mutex, with requests of all sizes: never more than the capacity is out.",
			needs:  all(queue, shared),
			run:    stressPermits,
		},
	}
}

// stress has several goroutines of several processes take and give back, until each
// has done its rounds.
type stress struct {
	*env
	gauge *gauge
	claim func(*rand.Rand) driver.Claim
}

func (e *env) stress(capacity int64, claim func(*rand.Rand) driver.Claim) {
	e.Helper()
	s := &stress{env: e, gauge: &gauge{e: e, capacity: capacity}, claim: claim}
	actors := e.actors(4)
	var workers sync.WaitGroup
	for i := range 12 {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		// Ends after its rounds, or with the case's context; awaited below.
		workers.Go(func() {
			for range e.rounds(50) {
				s.round(actors[i%len(actors)], rng)
			}
		})
	}
	workers.Wait()
	actors[0].stands("orders")
	for _, a := range actors {
		a.has()
	}
}

// round takes once, patiently or not, and leaves no trace.
func (s *stress) round(a *actor, rng *rand.Rand) {
	c := s.claim(rng)
	ctx, cancel := context.WithCancelCause(s.ctx())
	defer cancel(nil)
	if rng.IntN(3) == 0 {
		timer := time.AfterFunc(time.Duration(rng.Int64N(int64(2*time.Millisecond))), func() { cancel(errGaveUp) })
		defer timer.Stop()
	}
	p, err := acquire(ctx, a.ses, c)
	switch {
	case err == nil:
		s.gauge.hold(p)
		// Long enough for anybody who should not be granted now.
		time.Sleep(time.Duration(rng.Int64N(int64(20 * time.Microsecond))))
		s.gauge.release(p)
	case !errors.Is(err, errGaveUp):
		s.Errorf("taking %s: %v", describe(c), err)
	}
	if !s.clear(a, c) {
		s.Errorf("a place of %s could not be given back", describe(c))
	}
}

// acquire enters and waits for the grant.
func acquire(ctx context.Context, ses driver.Session, c driver.Claim) (driver.Place, error) {
	p, err := ses.Enter(ctx, c)
	if err != nil || p.Granted {
		return p, err
	}
	return awaitGrant(ctx, ses, p)
}

// clear leaves until the line does not show the ID any more: a cancelled call may
// have been under way in the store still.
func (s *stress) clear(a *actor, c driver.Claim) bool {
	for range 100 {
		if err := a.ses.Leave(s.ctx(), c.Line, c.ID); err != nil && !errors.Is(err, driver.ErrGone) {
			return false
		}
		l, err := a.drv.Line(s.ctx(), c.Line)
		if err != nil {
			return false
		}
		if l.Find(c.ID) < 0 {
			return true
		}
	}
	return false
}

func stressMutex(e *env) {
	e.stress(1, func(*rand.Rand) driver.Claim { return mutex("orders") })
}

func stressReadersAndWriters(e *env) {
	e.stress(driver.MaxCapacity, func(rng *rand.Rand) driver.Claim {
		if rng.IntN(3) == 0 {
			return writer("orders")
		}
		return reader("orders")
	})
}

func stressPermits(e *env) {
	e.stress(5, func(rng *rand.Rand) driver.Claim { return permits("orders", 5, rng.Int64N(6)) })
}
