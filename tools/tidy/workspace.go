package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// workspace is what go.work says, with absolute directories.
type workspace struct {
	modules  []string
	replaces []replace
}

// replace says in which directory one version of a module is.
type replace struct {
	path, version, dir string
}

func readWorkspace(file string) (*workspace, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parsed, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(file)
	ws := &workspace{}
	for _, u := range parsed.Use {
		ws.modules = append(ws.modules, filepath.Join(root, u.Path))
	}
	for _, r := range parsed.Replace {
		if r.Old.Version == "" || r.New.Version != "" {
			return nil, fmt.Errorf("%s: replace %s: want one version, replaced by a directory", file, r.Old.Path)
		}
		ws.replaces = append(ws.replaces, replace{r.Old.Path, r.Old.Version, filepath.Join(root, r.New.Path)})
	}
	return ws, nil
}

// tidied returns the go.mod and go.sum of a module as they are and as they should be.
// Nothing in the module's own directory is written.
func (ws *workspace) tidied(ctx context.Context, dir string) ([]file, error) {
	scratch, err := os.MkdirTemp("", "tidy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)

	// Beside a -modfile named x.mod the go command keeps its sums in x.sum.
	mod := file{path: filepath.Join(dir, "go.mod")}
	sum := file{path: filepath.Join(dir, "go.sum")}
	if mod.before, err = os.ReadFile(mod.path); err != nil {
		return nil, err
	}
	if sum.before, err = readIfThere(sum.path); err != nil {
		return nil, err
	}
	with, err := ws.addReplaces(mod.before)
	if err != nil {
		return nil, err
	}
	modCopy, sumCopy := filepath.Join(scratch, "go.mod"), filepath.Join(scratch, "go.sum")
	if err := os.WriteFile(modCopy, with, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(sumCopy, sum.before, 0o600); err != nil {
		return nil, err
	}
	if err := goModTidy(ctx, dir, modCopy); err != nil {
		return nil, err
	}
	tidy, err := os.ReadFile(modCopy)
	if err != nil {
		return nil, err
	}
	if mod.after, err = ws.dropReplaces(tidy); err != nil {
		return nil, err
	}
	if sum.after, err = readIfThere(sumCopy); err != nil {
		return nil, err
	}
	return []file{mod, sum}, nil
}

func goModTidy(ctx context.Context, dir, modFile string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy", "-modfile="+modFile)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

func (ws *workspace) addReplaces(mod []byte) ([]byte, error) {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	if len(f.Replace) > 0 {
		return nil, fmt.Errorf("go.mod replaces %s: replaces stand in go.work only", f.Replace[0].Old.Path)
	}
	for _, r := range ws.replaces {
		if r.path == f.Module.Mod.Path {
			continue // a module needs no way to itself
		}
		if err := f.AddReplace(r.path, r.version, r.dir, ""); err != nil {
			return nil, err
		}
	}
	return f.Format()
}

func (ws *workspace) dropReplaces(mod []byte) ([]byte, error) {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range ws.replaces {
		if err := f.DropReplace(r.path, r.version); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}
