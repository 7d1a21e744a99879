package etcdserver

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Server and Ctl return the path of the program, built if it is not there or older than
// what pins its version.
func Server(tb testing.TB) string { return program(tb, "etcd", "go.etcd.io/etcd/server/v3") }

// Ctl is etcdctl.
func Ctl(tb testing.TB) string { return program(tb, "etcdctl", "go.etcd.io/etcd/etcdctl/v3") }

func program(tb testing.TB, name, source string) string {
	tb.Helper()
	path, err := build(tb, name, source)
	switch {
	case err == nil:
		return path
	case os.Getenv("HOLDGATE_REQUIRE_STORES") == "1":
		tb.Fatalf("%s is missing, and could not be built: %v", name, err)
	default:
		tb.Skipf("%s is missing, and could not be built: %v", name, err)
	}
	return ""
}

// build makes sure that a program is there. Test processes that run at the same time
// wait for each other.
func build(tb testing.TB, name, source string) (string, error) {
	root, err := top()
	if err != nil {
		return "", err
	}
	module, bin := filepath.Join(root, "test", "etcdbin"), filepath.Join(root, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(bin, "."+name+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(bin, name)
	if current(path, module) {
		return path, nil
	}
	// Under another name first: a build that is cut short leaves nothing.
	fresh := path + ".new"
	cmd := exec.CommandContext(tb.Context(), "go", "build", "-C", module, "-o", fresh, source)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", source, err, bytes.TrimSpace(out))
	}
	return path, os.Rename(fresh, path)
}

// top is the directory of go.work.
func top() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("there is no go.work above the working directory")
		}
		dir = up
	}
}

// current reports whether a program is newer than what pins its version.
func current(path, module string) bool {
	built, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, pin := range []string{"go.mod", "go.sum"} {
		pinned, err := os.Stat(filepath.Join(module, pin))
		if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && pinned.ModTime().After(built.ModTime()) {
			return false
		}
	}
	return true
}

// lock waits for a file lock.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
