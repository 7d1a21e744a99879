package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/internal/history"
)

// simWorld is one run: a store, the processes that use it, and all that goes wrong.
//
//	storm    faults and acts; workers lock and release
//	calm     nothing goes wrong any more; what is under way lands
//	settled  every worker locks every name once more, and has to get it
//	rest     a TTL passes; then nothing may be left
type simWorld struct {
	plan  simPlan
	begun time.Time
	store *memdriver.Store
	god   *memdriver.Driver // a handle on the store that nothing goes wrong with
	log   history.Log
	reg   simRegister

	calm, settled chan struct{}
	wait          sync.WaitGroup // for all that the storm began

	mu       sync.Mutex
	procs    []*simProcess // by number: the life that it is in
	lives    []*simProcess // all there ever were
	counts   history.Tally
	complain []history.Violation // of what the history does not show
}

// simOutcome is what a run leaves.
type simOutcome struct {
	plan       simPlan
	events     []history.Event
	counts     history.Tally
	violations []history.Violation
}

// simulate runs one plan in a bubble of its own.
func simulate(t *testing.T, plan simPlan) (out simOutcome) {
	t.Helper()
	out.plan = plan
	cryptotest.SetGlobalRandom(t, plan.seed) // the clients' IDs and jitter
	synctest.Test(t, func(t *testing.T) {
		w := newSimWorld(plan)
		w.run(t.Context())
		out.events, out.counts = w.log.Events(), w.counts
		out.violations = append(w.complain, history.Check(out.events)...)
	})
	return out
}

func newSimWorld(plan simPlan) *simWorld {
	w := &simWorld{
		plan:    plan,
		begun:   time.Now(),
		store:   memdriver.NewStore(),
		calm:    make(chan struct{}),
		settled: make(chan struct{}),
		counts:  make(history.Tally),
	}
	w.god = w.store.Connect(nil)
	w.reg.world = w
	return w
}

func (w *simWorld) run(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	var witness sync.WaitGroup
	witness.Go(func() { w.witness(ctx) }) // ends with ctx
	for i := range w.plan.processes {
		w.procs = append(w.procs, nil)
		w.start(i, 1)
	}
	w.rage()
	close(w.calm)
	w.wait.Wait() // what the storm stopped goes on, what it cut off is connected
	time.Sleep(w.plan.latest())
	w.log.Add(history.Event{At: w.now(), Kind: history.Calm, Until: w.plan.patience()})
	close(w.settled)
	w.finish()
	stop()
	witness.Wait()
}

// finish waits until everybody is done, and looks at what is left.
func (w *simWorld) finish() {
	if !w.workersEnd(4 * w.plan.patience()) {
		w.abort()
		return
	}
	time.Sleep(w.plan.reconciled())
	for _, line := range w.store.Lines() {
		for _, p := range line.Places {
			w.log.Add(history.Event{At: w.now(), Kind: history.Left, Name: line.Name, Place: p.ID, Why: "all was released a TTL ago"})
		}
	}
	for _, p := range w.procs {
		p.close()
	}
	time.Sleep(w.plan.ttl + calmLatency)
	for _, id := range w.store.Sessions() {
		w.log.Add(history.Event{At: w.now(), Kind: history.Left, Name: "session " + id, Why: "all clients are closed or dead"})
	}
}

// workersEnd waits for the workers, but not for ever.
func (w *simWorld) workersEnd(patience time.Duration) bool {
	done := make(chan struct{})
	go func() { // ends with the workers; if they do not end, abort sees to it
		defer close(done)
		for _, p := range w.procs {
			p.workers.Wait()
		}
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// abort ends a run in which somebody is stuck, so that the history can be told.
func (w *simWorld) abort() {
	w.object("ends", "the workers do not end")
	for _, p := range w.procs {
		p.end()
	}
}

// now is the time of the history.
func (w *simWorld) now() time.Duration { return time.Since(w.begun) }

// stormy reports whether things may go wrong.
func (w *simWorld) stormy() bool {
	select {
	case <-w.calm:
		return false
	default:
		return true
	}
}

// count notes that something happened, for the statistics.
func (w *simWorld) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

// object notes a breach of the contract that shows in an answer, not in the history.
func (w *simWorld) object(rule, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complain = append(w.complain, history.Violation{At: w.now(), Rule: rule, Text: fmt.Sprintf(format, args...)})
}

// why is how a history tells an error.
func why(err error) string {
	var lost *holdgate.LostError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &lost):
		return string(lost.Reason)
	case errors.Is(err, holdgate.ErrClosed):
		return history.ByClose
	}
	return err.Error()
}
