package filedriver

import (
	"strconv"
	"strings"
)

// findLock returns the process that has a flock on a file, given as device and inode
// as the lines of /proc/locks have them:
//
//	1: FLOCK  ADVISORY  WRITE 4711 fd:00:1835012 0 EOF
func findLock(locks, file string) int {
	for line := range strings.Lines(locks) {
		f := strings.Fields(line)
		if len(f) >= 6 && f[1] == "FLOCK" && f[5] == file {
			if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
				return pid
			}
		}
	}
	return 0
}
