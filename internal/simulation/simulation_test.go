package simulation_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// defaultSeeds is how many schedules a plain go test runs. HOLDGATE_SEEDS says
// otherwise, and HOLDGATE_SEED replays one and tells its story.
const defaultSeeds = 200

// endless is the real time after which a schedule will not end any more: it takes some
// 10 ms.
const endless = time.Minute

// memory is what schedules may use before the garbage collector runs in the middle of
// one: far more than any does that ends.
const memory = 1 << 30

// TestSimulation runs many clients over a faulty store, one schedule for each seed,
// and judges what they saw.
func TestSimulation(t *testing.T) {
	first, last := seeds(t)
	onOneProcessor(t)
	if first == last {
		replay(t, first)
		return
	}
	reached := make(history.Tally)
	for seed := first; seed <= last; seed++ {
		out := simulateOrSay(t, seed)
		if len(out.violations) > 0 {
			t.Fatal(report(out))
		}
		reached.Add(tally(out))
		if seed%16 == 0 {
			runtime.GC()
		}
	}
	t.Logf("%d schedules: %v", last-first+1, reached)
	if last >= defaultSeeds {
		wantReached(t, reached)
	}
}

// replay runs one seed, and tells its story if something is wrong with it. It tries
// a few times: see TestSimulationRepeats.
func replay(t *testing.T, seed uint64) {
	t.Helper()
	for range 10 {
		if out := simulateOrSay(t, seed); len(out.violations) > 0 {
			t.Fatalf("%s\n%s", report(out), story(out))
		}
	}
}

// seeds returns the first and the last seed to run.
func seeds(t *testing.T) (first, last uint64) {
	t.Helper()
	if one := fromEnv(t, "HOLDGATE_SEED", 0); one > 0 {
		return one, one
	}
	return 1, fromEnv(t, "HOLDGATE_SEEDS", defaultSeeds)
}

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		t.Fatalf("%s is a number from 1, not %q", name, text)
	}
	return n
}

// onOneProcessor makes the order in which goroutines run depend on the seed alone, as
// far as Go lets it: they run one at a time, each until it waits, and the garbage
// collector, which interrupts them, runs between schedules only.
func onOneProcessor(t *testing.T) {
	t.Helper()
	t.Setenv("GODEBUG", os.Getenv("GODEBUG")+",tracebacklabels=1")
	processors, percent, limit := runtime.GOMAXPROCS(1), debug.SetGCPercent(-1), debug.SetMemoryLimit(memory)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}

// simulateOrSay is simulate, and names the seed if it does not return: also if the
// program dies, in the labels of its goroutines.
func simulateOrSay(t *testing.T, seed uint64) (out simOutcome) {
	t.Helper()
	defer func() {
		if broken := recover(); broken != nil {
			t.Fatalf("seed %d: %v\n%s", seed, broken, howToReplay(seed))
		}
	}()
	// Outside of the bubble time is real.
	defer time.AfterFunc(endless, func() {
		panic(fmt.Sprintf("seed %d: a loop in which no time passes\n%s", seed, howToReplay(seed)))
	}).Stop()
	labels := pprof.Labels("seed", strconv.FormatUint(seed, 10))
	pprof.Do(t.Context(), labels, func(context.Context) { out = simulate(t, newSimPlan(seed)) })
	return out
}

// howToReplay is the command that runs one seed again.
func howToReplay(seed uint64) string {
	return fmt.Sprintf("replay: HOLDGATE_SEED=%d go test -count=1 -run='^TestSimulation$' ./internal/simulation", seed)
}

// report tells what is wrong with a run.
func report(out simOutcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d violations\n%s\n", out.plan.seed, len(out.violations), howToReplay(out.plan.seed))
	for _, v := range out.violations {
		fmt.Fprintln(&b, v)
	}
	return b.String()
}

// story tells a whole run.
func story(out simOutcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n\n", out.plan)
	_ = history.Story(&b, out.events, out.violations)
	return b.String()
}
