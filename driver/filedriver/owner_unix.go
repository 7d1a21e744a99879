//go:build unix

package filedriver

import (
	"os"
	"syscall"
)

// ownerIfRoot returns who owns a directory when root works in it for somebody else, and
// -1 otherwise: what root makes there must not lock its owner out.
func ownerIfRoot(info os.FileInfo) (uid, gid int) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || st.Uid == 0 {
		return -1, -1
	}
	return int(st.Uid), int(st.Gid)
}
