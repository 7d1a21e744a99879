//go:build unix

package filedriver

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	other := t.TempDir()
	write(t, filepath.Join(other, "report.txt"), "")
	later := t.TempDir()
	write(t, filepath.Join(later, "VERSION"), "2\n")
	sticky := t.TempDir()
	chmod(t, sticky, os.ModeSticky|0o777)
	narrow := t.TempDir()
	chmod(t, narrow, 0o700)
	for _, c := range []struct {
		name, dir string
		options   *Options
		want      error
		says      string
	}{
		{"no name", "", nil, driver.ErrInvalid, "empty"},
		{"a file", file, nil, driver.ErrInvalid, "not a directory"},
		{"no parent", filepath.Join(other, "a", "b"), nil, driver.ErrUnavailable, "make that one first, by mkdir -p"},
		{"used for something else", other, nil, driver.ErrInvalid, "report.txt"},
		{"a later layout", later, nil, driver.ErrUnsupported, `layout version "2"`},
		{"sticky", sticky, nil, driver.ErrUnsupported, "sticky bit"},
		{"mode without owner", narrow, &Options{Mode: 0o070}, driver.ErrInvalid, "Options.Mode"},
		{"mode with setuid", narrow, &Options{Mode: os.ModeSetuid | 0o700}, driver.ErrInvalid, "Options.Mode"},
		{"narrower than asked", narrow, &Options{Mode: Shared}, driver.ErrInvalid, "lets in fewer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(c.dir, c.options)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Open: %v, want %v that says %q", err, c.want, c.says)
			}
		})
	}
	if left := files(t, other); len(left) != 1 {
		t.Errorf("a directory that was refused now has %q", left)
	}
}

// TestFirstAtOnce: several open a directory that none of them had before.
func TestFirstAtOnce(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for round := range 200 {
		dir := filepath.Join(parent, strconv.Itoa(round))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				d, err := Open(dir, nil)
				if err != nil {
					t.Error(err)
					return
				}
				_ = d.Close()
			})
		}
		all.Wait()
	}
}

func TestFileSystemOfOtherMachines(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "locks")
	_, err := open(dir, nil, seams{fileSystem: func(string) (string, error) { return "nfs", nil }})
	if !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "nfs") || !strings.Contains(err.Error(), dir) {
		t.Errorf("on NFS: %v, want unsupported, and both named", err)
	}
	if left := files(t, parent); len(left) > 0 {
		t.Errorf("where a directory was refused there is %q now", left)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := open(dir, nil, seams{fileSystem: func(string) (string, error) {
		return "", &fs.PathError{Op: "statfs", Path: dir, Err: syscall.EROFS}
	}})
	if !errors.Is(err, driver.ErrDenied) || !errors.Is(err, syscall.EROFS) {
		t.Errorf("on a read-only file system: %v, want denied", err)
	}
}

func TestOpenURL(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "locks")
	d, err := OpenURL(parseURL(t, "file://"+dir+"?mode=shared"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for path, want := range map[string]os.FileMode{
		dir:                           os.ModeDir | Shared,
		filepath.Join(dir, "lines"):   os.ModeDir | Shared,
		filepath.Join(dir, "VERSION"): 0o660,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), want, err)
		}
	}
	for _, bad := range []string{
		"file:relative", "file://host/var/lock", "http:///var/lock", "file:///x?mode=9", "file:///x?mode=0",
		"file:///x?mode=4700", "file:///x?mod=shared", "file:///x?mode=shared&mode=0700", "file:///x#y", "file://u@localhost/x",
	} {
		if _, err := OpenURL(parseURL(t, bad)); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("%s: %v, want invalid", bad, err)
		}
	}
}

func TestDefaultDir(t *testing.T) { // sets the environment
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "relative, and so ignored")
	dir, err := DefaultDir()
	if err != nil || !strings.HasPrefix(dir, home) {
		t.Errorf("DefaultDir: %s, %v, want one in %s", dir, err, home)
	}
	state := filepath.Join(home, "state")
	t.Setenv("XDG_STATE_HOME", state)
	if dir, err = DefaultDir(); err != nil || dir != filepath.Join(state, "holdgate", "locks") {
		t.Errorf("DefaultDir: %s, %v", dir, err)
	}
	// Its parents are made, unlike those of other directories.
	d, err := OpenURL(parseURL(t, "file:"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v, want mode 0700", dir, info, err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func parseURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
