package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness"
)

// run carries out a plan.
//
//	storm   faults; workers lock and release
//	calm    all is well again: every worker locks every name once more, and has to get
//	        it, then the clients are closed; nothing may be left
type run struct {
	tb       testing.TB
	plan     plan
	client   string // the program of a client process
	dir      string
	store    store
	back     *comeback // the last one, nil when there was none
	register *process.Register
	log      history.Log // of what is done to the processes, and of the register
	slots    []*slot
	counts   history.Tally // of faults, and of those that did not come about
}

// outcome is what a run leaves.
type outcome struct {
	plan    plan
	events  []history.Event
	counts  history.Tally
	output  map[string]string // of processes that said something
	objects []history.Violation
	// silences are when the store answered nobody.
	silences []witness.Silence
}

// carryOut runs a plan with a program for the client processes.
func carryOut(tb testing.TB, p plan, client string) outcome {
	tb.Helper()
	r := &run{tb: tb, plan: p, client: client, dir: shortDir(tb), counts: make(history.Tally)}
	r.begin()
	r.rage()
	r.calm()
	return r.judge()
}

// shortDir is a directory for a run. The name of a test would make the path of a socket in
// it too long.
func shortDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// file is a path in the run's own directory.
func (r *run) file(name string) string { return filepath.Join(r.dir, name) }

// must ends the test when the harness itself does not work.
func (r *run) must(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

func (r *run) begin() {
	r.store = r.plan.kind.start(r)
	var err error
	r.register, err = process.NewRegister(r.file("register"), &r.log)
	r.must(err)
	for i := range r.plan.processes {
		s, err := newSlot(r, i)
		r.must(err)
		r.slots = append(r.slots, s)
		r.must(s.start())
	}
}

// rage is the storm. What one does, and when, is the plan's; when it is done is not.
func (r *run) rage() {
	begun := time.Now()
	type ending struct {
		at  time.Duration
		end func() error
	}
	var open []ending
	until := func(at time.Duration) { // ends what is over by then
		for len(open) > 0 && open[0].at <= at {
			r.sleep(time.Until(begun.Add(open[0].at)))
			r.must(open[0].end())
			open = open[1:]
		}
		r.sleep(time.Until(begun.Add(at)))
	}
	for _, t := range r.plan.trouble {
		until(t.from)
		end, err := t.fault.begin(r, t)
		r.counts[t.fault.name]++
		if err != nil {
			// The store is away, mostly, so that an operator can do nothing.
			r.counts[t.fault.name+", in vain"]++
		}
		if end != nil {
			open = append(open, ending{t.to, end})
			slices.SortStableFunc(open, func(a, b ending) int { return cmp.Compare(a.at, b.at) })
		}
	}
	until(r.plan.storm)
}

func (r *run) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.tb.Context().Done():
		r.tb.Fatal("the test is over")
	}
}

// calm waits until all is well, and then until everybody has finished.
func (r *run) calm() {
	r.healthy()
	r.log.Add(history.Event{At: process.Now(), Kind: history.Calm, Until: r.plan.patience})
	for _, s := range r.slots {
		_ = s.now().finish() // one that has died by itself is judged in the end
	}
	// Each worker may wait once for a call from the storm, and once for each name.
	patience, stop := context.WithTimeout(r.tb.Context(), 2*r.plan.patience)
	defer stop()
	for _, s := range r.slots {
		s.now().await(patience)
	}
	r.must(r.register.Close())
	r.left()
}

// healthy waits until every member answers.
func (r *run) healthy() {
	ctx, stop := context.WithTimeoutCause(r.tb.Context(), time.Minute, errors.New("the store does not recover"))
	defer stop()
	if r.back != nil {
		select {
		case <-r.back.over:
			r.must(r.back.err)
		case <-ctx.Done():
			r.must(context.Cause(ctx))
		}
	}
	for {
		attempt, done := context.WithTimeout(ctx, 3*adminIn)
		err := r.store.healthy(attempt)
		done()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			r.must(fmt.Errorf("%w: %w", context.Cause(ctx), err))
		}
		r.sleep(50 * time.Millisecond)
	}
}

// left notes what is in the store when all was given back, and what the dead left had to
// expire.
func (r *run) left() {
	end := time.Now().Add(r.plan.ttl + 5*time.Second)
	for ; ; r.sleep(100 * time.Millisecond) {
		left, err := r.store.left(r.tb.Context())
		late := time.Now().After(end)
		switch {
		case err != nil && late:
			r.must(err)
		case err == nil && len(left) == 0:
			return
		case err == nil && late:
			for _, l := range left {
				r.log.Add(history.Event{
					At: process.Now(), Kind: history.Left, Name: l.key, Place: l.value, Why: "all clients are closed or dead",
				})
			}
			return
		}
	}
}
