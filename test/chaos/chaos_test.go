package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// shortRuns is how many runs a plain go test makes on each store, with a short storm each.
// HOLDGATE_CHAOS_RUNS asks for so many long ones, HOLDGATE_CHAOS_SEED is the first seed,
// HOLDGATE_CHAOS_STORE the only store; HOLDGATE_SOAK asks for some.
const (
	shortRuns  = 1
	longRuns   = 10
	shortStorm = 4 * time.Second
)

// full reports whether there is time for long storms, and for all controls.
func full() bool {
	return os.Getenv("HOLDGATE_CHAOS_RUNS") != "" || os.Getenv("HOLDGATE_SOAK") != ""
}

// chosen are the stores to run on.
func chosen(t *testing.T) []*kind {
	t.Helper()
	all, name := kinds(), os.Getenv("HOLDGATE_CHAOS_STORE")
	if name == "" {
		return all
	}
	some := slices.DeleteFunc(all, func(k *kind) bool { return k.name != name })
	if len(some) == 0 {
		t.Fatalf("HOLDGATE_CHAOS_STORE is %q, which is no store", name)
	}
	return some
}

// TestChaos has processes use locks on a store on which everything goes wrong, and judges
// what they saw.
func TestChaos(t *testing.T) {
	client := build(t)
	first := int(fromEnv(t, "HOLDGATE_CHAOS_SEED", 1))
	runs := shortRuns
	if full() {
		runs = int(fromEnv(t, "HOLDGATE_CHAOS_RUNS", longRuns))
	}
	for _, k := range chosen(t) {
		t.Run(k.name, func(t *testing.T) {
			reached := make(history.Tally)
			for seed := first; seed < first+runs; seed++ {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { reached.Add(once(t, k, uint64(seed), client)) })
			}
			t.Logf("%d runs: %v", runs, reached)
			if runs >= longRuns {
				wantReached(t, k, reached)
			}
		})
	}
}

// once carries out the plan of a seed, judges it, and returns what was reached.
func once(t *testing.T, k *kind, seed uint64, client string) history.Tally {
	t.Helper()
	p := newPlan(k, seed, storm(seed), k.faults, nil)
	out := carryOut(t, p, client)
	v, n := out.verdict(), out.tally()
	t.Log(n)
	if v.ok() {
		return n
	}
	t.Errorf("%d violations, kept in %s; another run of this plan: make chaos STORE=%s SEED=%d\n%v",
		len(v.violations), out.keep(t, v), k.name, seed, p)
	for _, violation := range v.violations[:min(len(v.violations), 20)] {
		t.Error(violation)
	}
	return n
}

// TestKept judges a history again that a run has kept: HOLDGATE_CHAOS_HISTORY is its file.
func TestKept(t *testing.T) {
	t.Parallel()
	name := os.Getenv("HOLDGATE_CHAOS_HISTORY")
	if name == "" {
		t.Skip("HOLDGATE_CHAOS_HISTORY names no history")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	events, err := history.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range (outcome{events: events}).verdict().violations {
		t.Error(violation)
	}
}

// storm is how long a run's is.
func storm(seed uint64) time.Duration {
	if !full() {
		return shortStorm
	}
	return process.NewDice(seed, "storm").Within(5*time.Second, 20*time.Second)
}

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		t.Fatalf("%s is a number from 1, not %q", name, text)
	}
	return n
}

// build builds the program of the client processes, with these arguments for the go
// command added.
func build(t *testing.T, args ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "client")
	args = append([]string{"build", "-o", path}, args...)
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./client")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return path
}
