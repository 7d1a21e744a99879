//go:build unix

package filedriver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// TestPlantedLinks: another user of a shared directory puts a link to a file of ours in the
// place of what we make, between the making and the setting of its mode. What the link
// leads to keeps its mode: else he could have a file of ours opened to himself.
func TestPlantedLinks(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "private")
	write(t, private, "secret")
	chmod(t, private, 0o600)
	parent := t.TempDir()
	made := 0
	plant := func(change, path string) {
		if change != "chmod" {
			return
		}
		made++
		moved := filepath.Join(parent, randomHex(idDigits))
		if err := os.Rename(path, moved); err != nil {
			t.Error(err)
		}
		if err := os.Symlink(private, path); err != nil {
			t.Error(err)
		}
	}
	dir := filepath.Join(parent, "locks")
	layOut(t, dir)
	d, err := open(dir, &Options{Mode: Shared}, seams{step: plant, fileSystem: unusableFileSystem})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for _, step := range []func() error{
		func() error { return d.root.mkdir(filepath.Join(dir, "lines", "orders"), d.root.stageDir()) },
		func() error { return closing(d.root.makePipe(filepath.Join(dir, "sessions", "pipe"))) },
		func() error { return closing(d.root.create(filepath.Join(dir, "sessions", "file"), 0o660)) },
	} {
		before := made
		_ = step() // it may fail, or not: only the mode counts
		if made == before {
			t.Error("no mode was set: nothing was tested")
		}
	}
	info, err := os.Stat(private)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.Mode().Perm(), os.FileMode(0o600); got != want {
		t.Errorf("the file that the link leads to has mode %v, want %v", got, want)
	}
}

// layOut makes a shared directory.
func layOut(t *testing.T, dir string) {
	t.Helper()
	d, err := Open(dir, &Options{Mode: Shared})
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func closing(f *os.File, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}

// TestPlantedPipes: a pipe that nobody writes to lies where a file is read. It must not hang who
// reads it.
func TestPlantedPipes(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	c := mutexClaim("orders")
	c.Data = []byte("1")
	p, err := n.s.Enter(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	l := n.d.line("orders")
	for _, path := range []string{
		l.beside(&p, sideData), l.beside(&p, sideMark), n.d.root.session(p.Session), n.d.root.versionFile(), l.path(nameFile),
	} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readFile(path); err == nil {
			t.Errorf("%s: read %q", path, got)
		}
	}
	other := make(chan error, 1)
	go func() { // ends when the directory answers
		_, err := n.d.Line(t.Context(), "orders")
		if _, failed := Open(n.dir, nil); failed == nil {
			err = errors.New("the directory was opened")
		}
		other <- err
	}()
	select {
	case err := <-other:
		if err != nil && !errors.Is(err, driver.ErrUnavailable) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("a pipe that nobody writes to hangs who reads the line")
	}
}
