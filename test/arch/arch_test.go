package arch

import (
	"maps"
	"testing"
)

// What a package imports depends on the system.
var systems = []string{"linux", "darwin", "windows"}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for _, system := range systems {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			g, _, err := load(t.Context(), system)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := g[ours+"/driver"]; !ok {
				t.Fatal("the graph does not even have package driver")
			}
			for _, breach := range check(g, rules()) {
				t.Error(breach)
			}
		})
	}
}

func TestOnePackageComment(t *testing.T) {
	t.Parallel()
	dirs := map[string]string{}
	for _, system := range systems {
		_, found, err := load(t.Context(), system)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(dirs, found)
	}
	for path, dir := range dirs {
		files, err := packageComments(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != 1 {
			t.Errorf("%s: package comment in %q, want it in one file", path, files)
		}
	}
}

func TestModules(t *testing.T) {
	t.Parallel()
	root, err := workspaceDir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	work, err := readWorkFile(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	mods, err := findModFiles(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if len(mods) <= len(work.Use) {
		t.Fatalf("found %d modules, want those of go.work and tools", len(mods))
	}
	for _, breach := range checkWorkspace(work, mods) {
		t.Error(breach)
	}
	for _, mod := range mods {
		for _, breach := range checkModule(mod) {
			t.Error(breach)
		}
	}
}
