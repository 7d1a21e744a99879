package mutation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Mutant is a mistake that somebody could make.
type Mutant struct {
	Name  string
	Edits []Edit
}

// Edit replaces a piece of a source file of the project. The old text is there exactly
// once: when it is not, the code has changed and the mutant has to follow.
type Edit struct{ File, From, To string }

// Named returns the edits of the mutant of that name.
func Named(tb testing.TB, name string) []Edit {
	tb.Helper()
	for _, m := range Mutants() {
		if m.Name == name {
			return m.Edits
		}
	}
	tb.Fatalf("there is no mutant %q", name)
	return nil
}

// Overlay writes the changed files and what tells the go command of them, and returns the
// name of that. Root is the folder of the root module.
func Overlay(tb testing.TB, root string, edits ...Edit) string {
	tb.Helper()
	dir := tb.TempDir()
	files := make(map[string]string)
	for i, e := range edits {
		path, err := filepath.Abs(filepath.Join(root, e.File))
		if err != nil {
			tb.Fatal(err)
		}
		source := path
		if changed, ok := files[path]; ok {
			source = changed
		}
		text, err := os.ReadFile(source)
		if err != nil {
			tb.Fatal(err)
		}
		if n := strings.Count(string(text), e.From); n != 1 {
			tb.Fatalf("the mutant has rotted: %s has this %d times:\n%s", e.File, n, e.From)
		}
		files[path] = filepath.Join(dir, fmt.Sprint(i, ".go"))
		write(tb, files[path], []byte(strings.Replace(string(text), e.From, e.To, 1)))
	}
	name := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, name, text)
	return name
}

func write(tb testing.TB, name string, text []byte) {
	tb.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		tb.Fatal(err)
	}
}
