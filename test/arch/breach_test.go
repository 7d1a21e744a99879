package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The negative controls: a checker that accepts everything would pass the tests of
// the real tree.

// tree is a made-up repository that keeps all rules.
func tree() graph {
	g := graph{}
	for _, p := range []pkg{
		{path: "context", standard: true},
		{path: "golang.org/x/sys/unix"},
		{path: "github.com/spf13/cobra", imports: []string{"context"}},
		{path: "go.etcd.io/etcd/server"},
		{path: "github.com/innocent/lib", imports: []string{"go.etcd.io/etcd/server"}},
		{path: ours, imports: []string{"context", ours + "/driver", "golang.org/x/sys/unix"}},
		{path: ours + "/driver", imports: []string{"context"}},
		{path: ours + "/driver/memdriver", imports: []string{ours + "/driver"}},
		{path: ours + "/driver/filedriver", imports: []string{ours + "/driver"}},
		{path: ours + "/cmd/holdgate", imports: []string{ours, "github.com/spf13/cobra"}},
		{path: ours + "/test/bench", imports: []string{ours, ours + "/cmd/holdgate"}},
	} {
		g[p.path] = p
	}
	return g
}

func TestCheckAcceptsTheRules(t *testing.T) {
	t.Parallel()
	if got := check(tree(), rules()); len(got) > 0 {
		t.Errorf("breaches in a tree without any: %q", got)
	}
}

func TestCheckReports(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(graph)
		want  string
	}{
		{
			"the contract knows a driver",
			addImport(ours+"/driver", ours+"/driver/memdriver"),
			ours + "/driver: must not import " + ours + "/driver/memdriver",
		},
		{
			"the contract beyond the standard library",
			addImport(ours+"/driver", "golang.org/x/sys/unix"),
			ours + "/driver: must not be built from golang.org/x/sys/unix",
		},
		{
			"a driver imports the root",
			addImport(ours+"/driver/filedriver", ours),
			ours + "/driver/filedriver: must not import " + ours,
		},
		{
			"a driver imports another",
			addImport(ours+"/driver/filedriver", ours+"/driver/memdriver"),
			ours + "/driver/filedriver: must not import " + ours + "/driver/memdriver",
		},
		{
			"the root imports a driver",
			addImport(ours, ours+"/driver/filedriver"),
			ours + ": must not import " + ours + "/driver/filedriver",
		},
		{
			"the root beyond golang.org/x",
			addImport(ours, "github.com/spf13/cobra"),
			ours + ": must not be built from github.com/spf13/cobra",
		},
		{
			"a test of the root beyond golang.org/x",
			addTestImport(ours, "github.com/stretchr/testify"),
			ours + ": its tests must not import github.com/stretchr/testify",
		},
		{
			"a test of a driver imports the command",
			addTestImport(ours+"/driver/filedriver", ours+"/cmd/holdgate"),
			ours + "/driver/filedriver: its tests must not import " + ours + "/cmd/holdgate",
		},
		{
			"a server comes into the command through another package",
			addImport(ours+"/cmd/holdgate", "github.com/innocent/lib"),
			ours + "/cmd/holdgate: must not be built from go.etcd.io/etcd/server",
		},
		{
			"something imports the test module",
			addImport(ours+"/cmd/holdgate", ours+"/test/bench"),
			ours + "/cmd/holdgate: must not import " + ours + "/test/bench",
		},
		{
			"a package without a rule",
			addPackage(ours+"/brandnew", "brandnew"),
			ours + "/brandnew: no rule",
		},
		{
			"an empty name in the path",
			addPackage(ours+"/test/util/clock", "clock"),
			`"util" does not say`,
		},
		{
			"an empty name in the clause",
			addPackage(ours+"/test/clock", "common"),
			`"common" does not say`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := tree()
			tt.spoil(g)
			got := check(g, rules())
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Errorf("breaches: got %q, want one with %q", got, tt.want)
			}
		})
	}
}

func addPackage(path, name string) func(graph) {
	return func(g graph) { g[path] = pkg{path: path, name: name} }
}

func addImport(importer, path string) func(graph) {
	return func(g graph) {
		p := g[importer]
		p.imports = append(p.imports, path)
		g[importer] = p
	}
}

func addTestImport(importer, path string) func(graph) {
	return func(g graph) {
		p := g[importer]
		p.testImports = append(p.testImports, path)
		g[importer] = p
	}
}

func TestCheckModuleReports(t *testing.T) {
	t.Parallel()
	good := func() modFile {
		return modFile{
			Module:  moduleVersion{Path: ours},
			Go:      goVersion,
			Require: []moduleVersion{{"golang.org/x/sys", "v0.1.0"}},
		}
	}
	if got := checkModule(good()); len(got) > 0 {
		t.Errorf("breaches in a good go.mod: %q", got)
	}
	tests := []struct {
		name  string
		spoil func(*modFile)
		want  string
	}{
		{"another language version", func(m *modFile) { m.Go = "1.25" }, "go 1.25"},
		{"a toolchain", func(m *modFile) { m.Toolchain = "go1.26.8" }, "toolchain"},
		{"a replace", func(m *modFile) { m.Replace = make([]replacement, 1) }, "replaces"},
		{"a pinned module of ours", func(m *modFile) { m.Require[0] = moduleVersion{ours + "/driver/x", "v1.2.3"} }, "v1.2.3"},
		{"a library in the root", func(m *modFile) { m.Require[0].Path = "github.com/spf13/cobra" }, "golang.org/x only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mod := good()
			tt.spoil(&mod)
			if got := strings.Join(checkModule(mod), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("breaches: got %q, want one with %q", got, tt.want)
			}
		})
	}
}

func TestCheckWorkspaceReports(t *testing.T) {
	t.Parallel()
	mods := map[string]modFile{
		"./x":     {Module: moduleVersion{Path: ours + "/x"}},
		"./tools": {Module: moduleVersion{Path: ours + "/tools"}},
	}
	replace := func(path, version, dir string) replacement {
		return replacement{moduleVersion{ours + path, version}, moduleVersion{Path: dir}}
	}
	tests := []struct {
		name  string
		spoil func(*workFile)
		want  string
	}{
		{"another language version", func(w *workFile) { w.Go = "1.25.0" }, "want go"},
		{"a toolchain", func(w *workFile) { w.Toolchain = "go1.26.8" }, "no toolchain"},
		{"no replace", func(w *workFile) { w.Replace = nil }, "no replace"},
		{"to another directory", func(w *workFile) { w.Replace[0] = replace("/x", unpublished, "./y") }, "no replace"},
		{"of every version", func(w *workFile) { w.Replace[0] = replace("/x", "", "./x") }, "no replace"},
		{"tools", func(w *workFile) { w.Use[0].DiskPath = "./tools" }, "mix with ours"},
	}
	good := func() workFile {
		w := workFile{Go: goVersion, Replace: []replacement{replace("/x", unpublished, "./x")}}
		w.Use = append(w.Use, struct{ DiskPath string }{"./x"})
		return w
	}
	if got := checkWorkspace(good(), mods); len(got) > 0 {
		t.Errorf("breaches in a good go.work: %q", got)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			work := good()
			tt.spoil(&work)
			if got := strings.Join(checkWorkspace(work, mods), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("breaches: got %q, want one with %q", got, tt.want)
			}
		})
	}
}

func TestPackageCommentsCounts(t *testing.T) {
	t.Parallel()
	const bare, commented = "package p\n", "// Package p.\npackage p\n"
	tests := []struct {
		name  string
		files map[string]string
		want  int
	}{
		{"none", map[string]string{"a.go": bare}, 0},
		{"one", map[string]string{"a.go": bare, "b.go": commented}, 1},
		{"two", map[string]string{"a.go": commented, "b_windows.go": commented}, 2},
		{"not in tests", map[string]string{"a.go": bare, "a_test.go": commented}, 0},
		{"only tests", map[string]string{"a_test.go": commented}, 1},
		{"a build constraint is none", map[string]string{"a.go": "//go:build linux\n\n" + bare}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := packageComments(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != tt.want {
				t.Errorf("files with a package comment: got %q, want %d", got, tt.want)
			}
		})
	}
}
