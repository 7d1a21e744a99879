package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fenced returns what is in the next fenced block of a page, and the rest of the page.
func fenced(t *testing.T, page, language string) (block, rest string) {
	t.Helper()
	_, after, found := strings.Cut(page, "\n```"+language+"\n")
	block, rest, ended := strings.Cut(after, "\n```\n")
	if !found || !ended {
		t.Fatalf("the page has no block of %q", language)
	}
	return block + "\n", rest
}

// TestTheProgramOfThePage runs the program of docs/fencing.md: it prints what the page says.
func TestTheProgramOfThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "fencing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## A whole program\n")
	program, rest := fenced(t, page, "go")
	want, _ := fenced(t, rest, "")
	// In a folder of this module, and not a part of it: so it is built as all else here is.
	dir, err := os.MkdirTemp("testdata", "page")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "main.go")
	if err = os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
	if err != nil || string(got) != want {
		t.Errorf("it printed (%v)\n%s\nwant\n%s", err, got, want)
	}
}
