package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// shortRuns is how many runs a plain go test makes, with a short storm each.
// HOLDGATE_CHAOS_RUNS asks for so many long ones, HOLDGATE_CHAOS_SEED is the first seed;
// HOLDGATE_SOAK asks for some.
const (
	shortRuns  = 2
	longRuns   = 10
	shortStorm = 5 * time.Second
)

// full reports whether there is time for long storms, and for all controls.
func full() bool {
	return os.Getenv("HOLDGATE_CHAOS_RUNS") != "" || os.Getenv("HOLDGATE_SOAK") != ""
}

// TestChaos has processes use locks on a cluster on which everything goes wrong, and
// judges what they saw.
func TestChaos(t *testing.T) {
	client := build(t)
	first := int(fromEnv(t, "HOLDGATE_CHAOS_SEED", 1))
	runs := shortRuns
	if full() {
		runs = int(fromEnv(t, "HOLDGATE_CHAOS_RUNS", longRuns))
	}
	reached := make(map[string]int)
	for seed := first; seed < first+runs; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			p := newPlan(uint64(seed), storm(uint64(seed)), faults(), nil)
			out := carryOut(t, p, client)
			v := out.verdict()
			t.Log(summary(out.tally()))
			add(reached, out.tally())
			if v.ok() {
				return
			}
			t.Errorf("%d violations, kept in %s; another run of this plan: make chaos SEED=%d\n%v",
				len(v.violations), out.keep(t, v), seed, p)
			for _, violation := range v.violations[:min(len(v.violations), 20)] {
				t.Error(violation)
			}
		})
	}
	t.Logf("%d runs: %s", runs, summary(reached))
	if runs >= longRuns {
		wantReached(t, reached)
	}
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
