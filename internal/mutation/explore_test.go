package mutation

import (
	"context"
	"os/exec"
	"regexp"
	"testing"
)

// A search of every order of steps finds every mistake in the local line.
func TestExploreMutants(t *testing.T) {
	t.Parallel()
	findInRoot(t, "TestExplore", regexp.MustCompile(`explore_test\.go:\d+: (.*), after\n`), ExploreMutants(t))
}

// What no schedule is likely to show, a test made for it does.
func TestLingerMutants(t *testing.T) {
	t.Parallel()
	findInRoot(t, "TestLingerJudgedByTheNextLock", regexp.MustCompile(`linger_test\.go:\d+: (.*)\n`), LingerMutants())
}

func TestReaderMutants(t *testing.T) {
	t.Parallel()
	findInRoot(t, "TestReadersAreLostTogether", regexp.MustCompile(`readers_test\.go:\d+: (.*)\n`), ReaderMutants())
}

// findInRoot wants each mistake to be found by this test of the root package, which says so.
func findInRoot(t *testing.T, test string, violated *regexp.Regexp, mutants []Mutant) {
	t.Helper()
	for _, m := range mutants {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			binary := buildPackage(t, ".", m.Edits...)
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			cmd := exec.CommandContext(ctx, binary, "-test.run=^"+test+"$", "-test.failfast")
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			switch said := violated.FindSubmatch(out); {
			case err == nil:
				t.Fatalf("%s does not show the mistake", test)
			case said == nil:
				t.Fatalf("%s failed without saying what is wrong: %v\n%s", test, err, out)
			default:
				t.Logf("%s", said[1])
			}
		})
	}
}
