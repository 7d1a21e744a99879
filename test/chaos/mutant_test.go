package chaos

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// root is the root module's folder, seen from this one.
const root = "../.."

// edit replaces a piece of a source file. The old text is there exactly once: when it is
// not, the code has changed and the mutant has to follow.
type edit struct{ file, from, to string }

// overlay writes the changed files and what tells the go command of them (go help build,
// -overlay), and returns the name of that. The source tree is not touched.
func overlay(t *testing.T, edits []edit) string {
	t.Helper()
	dir := t.TempDir()
	changed := make(map[string]string)
	for i, e := range edits {
		path, err := filepath.Abs(filepath.Join(root, e.file))
		if err != nil {
			t.Fatal(err)
		}
		source := path
		if before, ok := changed[path]; ok {
			source = before
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.from); n != 1 {
			t.Fatalf("the mutant has rotted: %s has this %d times:\n%s", e.file, n, e.from)
		}
		changed[path] = filepath.Join(dir, strconv.Itoa(i)+".go")
		write(t, changed[path], []byte(strings.Replace(string(text), e.from, e.to, 1)))
	}
	name := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": changed})
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
