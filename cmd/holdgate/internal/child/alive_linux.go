package child

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// alive reports whether somebody in the group is more than dead. A dead process stays in its
// group until its parent asks for it: one that left the group and never asks would keep
// the lock for as long as it lives.
func alive(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	dead := false
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		state, in, ok := groupOf(stat)
		switch {
		case !ok || in != group:
		case state != 'Z' && state != 'X':
			return true
		default:
			dead = true
		}
	}
	return !dead // where /proc does not show them, somebody is there
}

// groupOf reads the state and the group of a process: pid (name) state parent group. A name may
// have anything in it.
func groupOf(stat []byte) (state byte, group int, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 || len(fields[0]) != 1 {
		return 0, 0, false
	}
	group, err := strconv.Atoi(string(fields[2]))
	return fields[0][0], group, err == nil
}
