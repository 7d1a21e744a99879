package mutation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the root module's folder, seen from this one.
const root = "../.."

// mutant is a mistake that somebody could make.
type mutant struct {
	name  string
	edits []edit
}

// edit replaces a piece of a source file. The old text is there exactly once: when it
// is not, the code has changed and the mutant has to follow.
type edit struct{ file, from, to string }

// overlay writes the changed files and what tells the go command of them, and returns
// the name of that.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := make(map[string]string)
	for _, e := range m.edits {
		path, err := filepath.Abs(filepath.Join(root, e.file))
		if err != nil {
			t.Fatal(err)
		}
		source := path
		if changed, ok := files[path]; ok {
			source = changed
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.from); n != 1 {
			t.Fatalf("the mutant has rotted: %s has this %d times:\n%s", e.file, n, e.from)
		}
		files[path] = filepath.Join(dir, e.file)
		write(t, files[path], []byte(strings.Replace(string(text), e.from, e.to, 1)))
	}
	name := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		t.Fatal(err)
	}
	write(t, name, text)
	return name
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// build builds the simulation with the mistake in it.
func (m mutant) build(t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "simulation")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", m.overlay(t), "-o", binary, "./internal/simulation")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return binary
}

// simulate runs schedules on a binary, and returns what it said and whether it
// passed.
func simulate(t *testing.T, binary string, seeds int) (said string, passed bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^TestSimulation$")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), fmt.Sprint("HOLDGATE_SEEDS=", seeds), "HOLDGATE_SEED=")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the simulation did not end in %v:\n%s", patience, out)
	}
	return string(out), err == nil
}
