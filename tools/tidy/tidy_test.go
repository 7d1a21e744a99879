package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The workspace of the tests: b imports a, neither is published, and nothing
// comes from the network.
const (
	goWork = `go 1.26.0

use (
	./a
	./b
)

replace (
	example.test/a v0.0.0 => ./a
	example.test/b v0.0.0 => ./b
)
`
	modA      = "module example.test/a\n\ngo 1.26.0\n"
	modBBare  = "module example.test/b\n\ngo 1.26.0\n"
	modB      = modBBare + "\nrequire example.test/a v0.0.0\n"
	modBExtra = modBBare + "\nrequire (\n\texample.test/a v0.0.0\n\texample.test/c v0.0.0\n)\n"
)

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		writeInto(t, root, name, text)
	}
	return root
}

func workspaceWith(t *testing.T, modOfB string) string {
	t.Helper()
	return writeTree(t, map[string]string{
		"go.work":  goWork,
		"a/go.mod": modA,
		"a/a.go":   "package a\n",
		"b/go.mod": modOfB,
		"b/b.go":   "package b\n\nimport _ \"example.test/a\"\n",
	})
}

func TestTidyAddsWhatIsMissingAndWritesNoReplace(t *testing.T) {
	t.Parallel()
	root := workspaceWith(t, modBBare)
	work := filepath.Join(root, "go.work")

	if err := run(t.Context(), work, true); err == nil {
		t.Error("check of a module that lacks a requirement: got no error")
	}
	if got := read(t, root, "b/go.mod"); got != modBBare {
		t.Errorf("check changed go.mod to\n%s", got)
	}
	if err := run(t.Context(), work, false); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, "b/go.mod"); got != modB {
		t.Errorf("tidied go.mod: got\n%s\nwant\n%s", got, modB)
	}
	if err := run(t.Context(), work, true); err != nil {
		t.Errorf("check of a tidied workspace: %v", err)
	}
}

func TestTidyRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, text, want string
	}{
		{"a replace in go.mod", "b/go.mod", modB + "\nreplace example.test/a => ../a\n", "go.work only"},
		{"a replace of all versions", "go.work", strings.Replace(goWork, "a v0.0.0 =>", "a =>", 1), "one version"},
		{"no go.work", "", "", "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := workspaceWith(t, modB)
			work := filepath.Join(root, "go.work")
			if tt.file == "" {
				work += ".missing"
			} else {
				writeInto(t, root, tt.file, tt.text)
			}
			err := run(t.Context(), work, false)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one about %q", err, tt.want)
			}
		})
	}
}

func TestTidyRemovesWhatIsNotUsed(t *testing.T) {
	t.Parallel()
	root := workspaceWith(t, modBExtra)
	writeInto(t, root, "go.work", strings.Replace(goWork, "replace (", "replace (\n\texample.test/c v0.0.0 => ./c", 1))
	writeInto(t, root, "c/go.mod", "module example.test/c\n\ngo 1.26.0\n")
	writeInto(t, root, "b/go.sum", "example.test/gone v1.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")

	if err := run(t.Context(), filepath.Join(root, "go.work"), false); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, "b/go.mod"); got != modB {
		t.Errorf("tidied go.mod: got\n%s\nwant\n%s", got, modB)
	}
	if _, err := os.Stat(filepath.Join(root, "b/go.sum")); err == nil {
		t.Error("go.sum of a module without dependencies is still there")
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeInto(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
