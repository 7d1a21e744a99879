package arch

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// goVersion is the language version of every module.
	goVersion = "1.26.0"
	// unpublished is the version at which our modules require each other.
	unpublished = "v0.0.0"
)

type moduleVersion struct{ Path, Version string }

// modFile is a go.mod as `go mod edit -json` prints it.
type modFile struct {
	Module        moduleVersion
	Go, Toolchain string
	Require       []moduleVersion
	Replace       []replacement
}

type replacement struct{ Old, New moduleVersion }

// workFile is a go.work as `go work edit -json` prints it.
type workFile struct {
	Go, Toolchain string
	Use           []struct{ DiskPath string }
	Replace       []replacement
}

func readWorkFile(ctx context.Context, root string) (workFile, error) {
	var work workFile
	out, err := goCommand(ctx, nil, "work", "edit", "-json", filepath.Join(root, "go.work"))
	if err != nil {
		return work, err
	}
	return work, json.Unmarshal(out, &work)
}

// findModFiles returns every go.mod below root, also of modules that go.work does not
// use, by directory.
func findModFiles(ctx context.Context, root string) (map[string]modFile, error) {
	mods := map[string]modFile{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.Name() != "go.mod":
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		mods[inWorkspace(filepath.ToSlash(dir))], err = readModFile(ctx, filepath.Dir(path))
		return err
	})
	return mods, err
}

func readModFile(ctx context.Context, dir string) (modFile, error) {
	var mod modFile
	out, err := goCommand(ctx, nil, "mod", "edit", "-json", filepath.Join(dir, "go.mod"))
	if err != nil {
		return mod, err
	}
	return mod, json.Unmarshal(out, &mod)
}

// checkModule returns what is wrong with one go.mod.
func checkModule(mod modFile) (breaches []string) {
	report := func(format string, args ...any) {
		breaches = append(breaches, mod.Module.Path+": "+fmt.Sprintf(format, args...))
	}
	if mod.Go != goVersion {
		report("go %s, want %s", mod.Go, goVersion)
	}
	if mod.Toolchain != "" {
		report("has a toolchain line")
	}
	for _, r := range mod.Replace {
		report("replaces %s: go install refuses that, go.work is the place", r.Old.Path)
	}
	for _, r := range mod.Require {
		if isOurs(r.Path) && r.Version != unpublished {
			report("requires %s at %s, want %s", r.Path, r.Version, unpublished)
		}
		if mod.Module.Path == ours && !strings.HasPrefix(r.Path, "golang.org/x/") {
			report("requires %s: the root module has golang.org/x only", r.Path)
		}
	}
	return breaches
}

// checkWorkspace returns what is wrong with go.work, given the modules that there are.
func checkWorkspace(work workFile, mods map[string]modFile) (breaches []string) {
	report := func(format string, args ...any) {
		breaches = append(breaches, "go.work: "+fmt.Sprintf(format, args...))
	}
	if work.Go != goVersion || work.Toolchain != "" {
		report("want go %s and no toolchain", goVersion)
	}
	for _, use := range work.Use {
		mod := mods[inWorkspace(use.DiskPath)]
		if mod.Module.Path == ours+"/tools" {
			report("uses %s: its requirements would mix with ours", use.DiskPath)
		}
		replaced := slices.ContainsFunc(work.Replace, func(r replacement) bool {
			return r.Old == moduleVersion{mod.Module.Path, unpublished} && inWorkspace(r.New.Path) == inWorkspace(use.DiskPath)
		})
		if !replaced {
			report("no replace %s %s => %s", mod.Module.Path, unpublished, use.DiskPath)
		}
	}
	return breaches
}

// inWorkspace writes a directory relative to go.work in one way only.
func inWorkspace(dir string) string { return "./" + path.Clean(dir) }
