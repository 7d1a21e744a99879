//go:build unix

package filedriver

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// makePipe makes the pipe of a session and opens both its ends, so that it never ends
// and can always be written to. A pipe has no limit to the length of its path, as
// sockets have.
func (r *root) makePipe(path string) (*os.File, error) {
	const everybodyWrites = 0o622
	mode := r.mode & everybodyWrites
	r.before("make pipe", path)
	if err := unix.Mkfifo(path, uint32(mode.Perm()|0o600)); err != nil {
		return nil, &fs.PathError{Op: "make pipe", Path: path, Err: err}
	}
	fd, err := unix.Open(path, unix.O_RDWR|openFlags, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	err = mustBe(f, fs.ModeNamedPipe)
	if err == nil {
		err = r.own(f, mode|0o600)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// writePipe writes a message whole, or not at all: it is dropped when the pipe is full,
// and when nobody reads it or it is not ours to write. It reports false when that could
// not even be tried.
func writePipe(path string, message []byte) bool {
	fd, err := unix.Open(path, unix.O_WRONLY|openFlags, 0)
	switch err {
	case nil:
	case unix.ENOENT, unix.ENXIO, unix.EACCES:
		return true
	default:
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	_ = uninterrupted(func() error {
		_, err := unix.Write(fd, message)
		return err
	})
	return true
}
