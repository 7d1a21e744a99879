package filedriver

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// unusableFileSystem names the type of the file system that a directory is on, if its
// data is not on this machine.
func unusableFileSystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if st.Flags&unix.MNT_LOCAL != 0 {
		return "", nil
	}
	return unix.ByteSliceToString(st.Fstypename[:]), nil
}

func lockHolder(string) int { return 0 }
