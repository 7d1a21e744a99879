//go:build unix

package filedriver

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

const supported = true

// openFlags are added wherever a file of the directory is opened: it must not follow a
// link out of it, nor hang on a pipe.
const openFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

// lockFile takes the lock of an open file, without waiting: it reports false when
// somebody else has it.
func lockFile(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH | unix.LOCK_NB
	if exclusive {
		how = unix.LOCK_EX | unix.LOCK_NB
	}
	err := control(f, func(fd int) error { return uninterrupted(func() error { return unix.Flock(fd, how) }) })
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return false, nil
	}
	return false, &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
}

// uninterrupted makes a system call that a signal may interrupt.
func uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func unlockFile(f *os.File) error {
	return control(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_UN) })
}

// links returns how many names a file has.
func links(f *os.File) (uint64, error) {
	var st unix.Stat_t
	err := control(f, func(fd int) error { return unix.Fstat(fd, &st) })
	return uint64(st.Nlink), err
}

// inode tells one file from all others that are there.
type inode struct{ dev, ino uint64 }

func inodeOf(st *unix.Stat_t) inode {
	return inode{uint64(st.Dev), st.Ino}
}

// identify returns the inode that has a name.
func identify(path string) (inode, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return inode{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return inodeOf(&st), nil
}

func identifyOpen(f *os.File) (inode, error) {
	var st unix.Stat_t
	err := control(f, func(fd int) error { return unix.Fstat(fd, &st) })
	return inodeOf(&st), err
}

// exists reports whether there is a file of this name. When that cannot be told it says
// so too: what follows from a file that is missing is never done in doubt.
func exists(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) != unix.ENOENT
}

// duplicate returns one more descriptor of the same open file, and so of its lock.
func duplicate(f *os.File) (*os.File, error) {
	var dup int
	err := control(f, func(fd int) (err error) {
		dup, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(dup), f.Name()), nil
}

// control runs f on the descriptor, which stays open meanwhile.
func control(f *os.File, do func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}

func unlink(path string) error {
	if err := unix.Unlink(path); err != nil {
		return &fs.PathError{Op: "unlink", Path: path, Err: err}
	}
	return nil
}

func rmdir(path string) error {
	if err := unix.Rmdir(path); err != nil {
		return &fs.PathError{Op: "rmdir", Path: path, Err: err}
	}
	return nil
}

// readNames returns the names in a directory.
func readNames(dir string, buf []byte) (names []string, err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|openFlags, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	for {
		var n int
		err := uninterrupted(func() (err error) {
			n, err = unix.ReadDirent(fd, buf)
			return err
		})
		if err != nil {
			return nil, &fs.PathError{Op: "read directory", Path: dir, Err: err}
		}
		if n <= 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}
