package arch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// listed is a package as the go command describes it.
type listed struct {
	ImportPath, Name, Dir              string
	Standard                           bool
	Imports, TestImports, XTestImports []string
}

// load returns the packages of the workspace and all they need on one system, and
// the directories of ours by import path.
func load(ctx context.Context, goos string) (graph, map[string]string, error) {
	out, err := goCommand(ctx, []string{"GOOS=" + goos, "CGO_ENABLED=0"}, "list", "-deps",
		"-json=ImportPath,Name,Dir,Standard,Imports,TestImports,XTestImports", "work")
	if err != nil {
		return nil, nil, err
	}
	g, dirs := graph{}, map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return g, dirs, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list: %w", err)
		}
		g[l.ImportPath] = pkg{
			path:        l.ImportPath,
			name:        l.Name,
			standard:    l.Standard,
			imports:     l.Imports,
			testImports: slices.Concat(l.TestImports, l.XTestImports),
		}
		if isOurs(l.ImportPath) {
			dirs[l.ImportPath] = l.Dir
		}
	}
}

// workspaceDir returns the directory of go.work.
func workspaceDir(ctx context.Context) (string, error) {
	out, err := goCommand(ctx, nil, "env", "GOWORK")
	if err != nil {
		return "", err
	}
	file := string(bytes.TrimSpace(out))
	if file == "" || file == "off" {
		return "", errors.New("not in a workspace")
	}
	return filepath.Dir(file), nil
}

// goCommand returns what the go command prints.
func goCommand(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %v: %w\n%s", args, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
