package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// command is the package of the holdgate command.
const command = "github.com/holdgate/holdgate/cmd/holdgate"

// BenchmarkRun compares three ways to run true: under holdgate, by a program that
// links the same packages and does nothing else, and under flock.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("XDG_STATE_HOME", dir) // the default store is below it
	holdgate, baseline := build(b, dir, nil), buildBaseline(b, dir)
	var run, over, flock []float64
	for b.Loop() {
		base := timed(b, baseline)
		run = append(run, timed(b, holdgate, "run", "-q", "bench", "--", "true"))
		over = append(over, run[len(run)-1]-base)
		if _, err := exec.LookPath("flock"); err == nil {
			flock = append(flock, timed(b, "flock", filepath.Join(dir, "flock"), "true"))
		}
	}
	reportQuantile(b, "over-ns", over, 0.5)
	reportQuantile(b, "run-ns", run, 0.5)
	if len(flock) > 0 {
		reportQuantile(b, "flock-ns", flock, 0.5)
	}
}

// timed runs a command and returns how many nanoseconds that took.
func timed(b *testing.B, name string, args ...string) float64 {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), name, args...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s %q: %v", name, args, err)
	}
	return float64(time.Since(start))
}

// build builds the holdgate command, with some of its files replaced, and returns the
// path of the binary.
func build(b *testing.B, dir string, overlay map[string]string) string {
	b.Helper()
	binary := filepath.Join(dir, fmt.Sprintf("holdgate-%d", len(overlay)))
	args := []string{"build", "-o", binary}
	if overlay != nil {
		file := filepath.Join(dir, "overlay.json")
		text, err := json.Marshal(map[string]any{"Replace": overlay})
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			b.Fatal(err)
		}
		args = append(args, "-overlay="+file)
	}
	goTool(b, append(args, command)...)
	return binary
}

// buildBaseline builds a program with the imports of the holdgate command that starts
// true and waits for it.
func buildBaseline(b *testing.B, dir string) string {
	b.Helper()
	var main struct {
		Dir              string
		GoFiles, Imports []string
	}
	if err := json.Unmarshal(goTool(b, "list", "-json=Dir,GoFiles,Imports", command), &main); err != nil {
		b.Fatal(err)
	}
	var source strings.Builder
	source.WriteString("package main\n\nimport \"os/exec\"\n\n")
	for _, path := range main.Imports {
		fmt.Fprintf(&source, "import _ %q\n", path)
	}
	source.WriteString("\nfunc main() {\n\tif err := exec.Command(\"true\").Run(); err != nil {\n\t\tpanic(err)\n\t}\n}\n")

	file := filepath.Join(dir, "baseline.go")
	if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	overlay := map[string]string{filepath.Join(main.Dir, "baseline.go"): file}
	for _, name := range main.GoFiles {
		overlay[filepath.Join(main.Dir, name)] = "" // as if it was not there
	}
	return build(b, dir, overlay)
}

// goTool runs the go command and returns what it prints.
func goTool(b *testing.B, args ...string) []byte {
	b.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), "go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("go %q: %v", args, err)
	}
	return out
}
