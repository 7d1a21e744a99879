package mutation

import (
	"regexp"
	"testing"
	"time"
)

// seeds bounds how many schedules may pass before a mistake is found.
const seeds = 3000

// calm is how many schedules show that there is nothing to be found where there is no
// mistake. Far more run elsewhere; this is about what is done here.
const calm = 300

// patience is for one run of all these schedules. They take about 20 seconds.
const patience = 8 * time.Minute

// Every mistake is found by some schedule, and none is found where there is none.
func TestMutants(t *testing.T) {
	t.Parallel()
	find(t, "TestSimulation", Mutants())
}

// So is every mistake in what is built on a lock.
func TestRecipeMutants(t *testing.T) {
	t.Parallel()
	find(t, "TestRecipes", RecipeMutants())
}

// So is every mistake in who is there.
func TestMemberMutants(t *testing.T) {
	t.Parallel()
	find(t, "TestMembers", MemberMutants())
}

// find wants each mistake to be found by this test.
func find(t *testing.T, test string, mutants []Mutant) {
	t.Helper()
	for _, m := range mutants {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			binary := build(t, m.Edits...)
			built := time.Since(begun)
			said, passed := simulate(t, binary, test, seeds)
			if passed {
				t.Fatalf("%d schedules do not show the mistake", seeds)
			}
			seed, what := finding(said)
			if seed == "" {
				t.Fatalf("the simulation failed without naming the seed:\n%s", said)
			}
			t.Logf("seed %s: %s (built in %v, found in %v)", seed, what,
				built.Round(time.Millisecond), (time.Since(begun) - built).Round(time.Millisecond))
		})
	}
}

// finding returns which schedule found a mistake, and what it saw first. A program that
// died says it in the labels of its goroutines.
func finding(said string) (seed, what string) {
	violated := regexp.MustCompile(`seed (\d+): .*\n.*replay: .*\n\s*(.*)`)
	died := regexp.MustCompile(`(?s)(panic: [^\n]*).*"seed": "(\d+)"`)
	if m := violated.FindStringSubmatch(said); m != nil {
		return m[1], m[2]
	}
	if m := died.FindStringSubmatch(said); m != nil {
		return m[2], m[1]
	}
	return "", ""
}

// What finds mistakes in everything has found none.
func TestNoMutant(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for test, seeds := range map[string]int{"TestSimulation": calm, "TestRecipes": calm / 10, "TestMembers": calm / 10} { // each as dear as ten
		if said, passed := simulate(t, binary, test, seeds); !passed {
			t.Fatal(said)
		}
	}
}
