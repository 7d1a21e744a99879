package arch

import (
	"context"
	"encoding/json"
	"fmt"
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

// readWorkFile returns the go.work in a directory, and the go.mod of every module
// that it uses, by directory as written there.
func readWorkFile(ctx context.Context, root string) (workFile, map[string]modFile, error) {
	var work workFile
	out, err := goCommand(ctx, nil, "work", "edit", "-json", filepath.Join(root, "go.work"))
	if err != nil {
		return work, nil, err
	}
	if err := json.Unmarshal(out, &work); err != nil {
		return work, nil, err
	}
	mods := map[string]modFile{}
	for _, use := range work.Use {
		if mods[use.DiskPath], err = readModFile(ctx, filepath.Join(root, use.DiskPath)); err != nil {
			return work, nil, err
		}
	}
	return work, mods, nil
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

// checkWorkspace returns what is wrong with go.work, given the modules that it uses.
func checkWorkspace(work workFile, mods map[string]modFile) (breaches []string) {
	if work.Go != goVersion || work.Toolchain != "" {
		breaches = append(breaches, fmt.Sprintf("go.work: want go %s and no toolchain", goVersion))
	}
	for dir, mod := range mods {
		replaced := slices.ContainsFunc(work.Replace, func(r replacement) bool {
			return r.Old == moduleVersion{mod.Module.Path, unpublished} &&
				filepath.Clean(r.New.Path) == filepath.Clean(dir)
		})
		if !replaced {
			breaches = append(breaches, fmt.Sprintf("go.work: no replace %s %s => %s", mod.Module.Path, unpublished, dir))
		}
	}
	return breaches
}
