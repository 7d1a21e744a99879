//go:build unix

package child_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
)

// How commands run is shown by the scripts of the command: a process can have only one.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	plain, tool := filepath.Join(dir, "plain"), filepath.Join(dir, "tool")
	for path, mode := range map[string]os.FileMode{plain: 0o600, tool: 0o700} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	if got, err := child.Find("tool"); err != nil || got != tool {
		t.Errorf("got %q, %v, want %q", got, err, tool)
	}
	for name, want := range map[string]error{
		"none": child.ErrNotFound, dir + "/none": child.ErrNotFound, "": child.ErrNotFound,
		plain: child.ErrNotExecutable, dir: child.ErrNotExecutable,
	} {
		if _, err := child.Find(name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	t.Chdir(dir)
	t.Setenv("PATH", ".")
	if got, err := child.Find("tool"); err != nil || got != "tool" && got != "./tool" {
		t.Errorf(`with "." in PATH: %q, %v`, got, err)
	}
}
