package filedriver

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// remote are the file systems that other machines may use too, or whose locks and
// pipes may be kept by a program, by the magic numbers of statfs(2).
func remote() map[uint32]string {
	return map[uint32]string{
		unix.NFS_SUPER_MAGIC:   "nfs",
		unix.SMB_SUPER_MAGIC:   "smb",
		unix.SMB2_SUPER_MAGIC:  "smb2",
		unix.CIFS_SUPER_MAGIC:  "cifs",
		unix.FUSE_SUPER_MAGIC:  "fuse",
		unix.V9FS_MAGIC:        "9p",
		unix.CEPH_SUPER_MAGIC:  "ceph",
		unix.AFS_SUPER_MAGIC:   "afs",
		unix.AFS_FS_MAGIC:      "afs",
		unix.CODA_SUPER_MAGIC:  "coda",
		unix.NCP_SUPER_MAGIC:   "ncp",
		0x01161970:             "gfs2",
		unix.OCFS2_SUPER_MAGIC: "ocfs2",
		0x0BD00BD0:             "lustre",
		0x47504653:             "gpfs",
		0x19830326:             "beegfs",
		0x786F4256:             "vboxsf",
		0xAAD7AAEA:             "panfs",
	}
}

// unusableFileSystem names the type of the file system that a directory is on, if it is
// one of those.
func unusableFileSystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return remote()[uint32(st.Type)], nil
}

// lockHolder returns the process that has the lock of a file, as /proc/locks tells; 0
// when it does not.
func lockHolder(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	content, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	want := fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
	return findLock(string(content), want)
}
