package mutation

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// root is the root module's folder, seen from this one.
const root = "../.."

// build builds the simulation with a mistake in it.
func build(t *testing.T, mistake ...Edit) (binary string) {
	t.Helper()
	return buildPackage(t, "./internal/simulation", mistake...)
}

// buildPackage builds the tests of a package with a mistake in it.
func buildPackage(t *testing.T, pkg string, mistake ...Edit) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "tests")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", Overlay(t, root, mistake...), "-o", binary, pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return binary
}

// simulate runs schedules of a test on a binary, and returns what it said and whether it
// passed.
func simulate(t *testing.T, binary, test string, seeds int) (said string, passed bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^"+test+"$")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOLDGATE_SEED=")
	for _, bound := range []string{"HOLDGATE_SEEDS=", "HOLDGATE_RECIPE_SEEDS=", "HOLDGATE_MEMBER_SEEDS="} {
		cmd.Env = append(cmd.Env, fmt.Sprint(bound, seeds))
	}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the simulation did not end in %v:\n%s", patience, out)
	}
	return string(out), err == nil
}
