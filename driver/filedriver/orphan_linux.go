package filedriver

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Orphaned reports whether the process that opened a session has ended, and its number: then what
// it started, and gave the session's file, keeps all its places. It is false where that cannot be
// told, as for a process of another PID namespace.
func (d *Driver) Orphaned(session string) (pid int, orphaned bool) {
	who, err := d.readIdentity(session)
	if err != nil || who.Started == "" {
		return 0, false
	}
	if own, err := os.Readlink("/proc/self/ns/pid"); err != nil || own != who.Namespace {
		return 0, false
	}
	return who.PID, ended(who.process)
}

// ended reports whether a process of our PID namespace has ended, also if nobody has asked for it yet.
func ended(p process) bool {
	if unix.Kill(p.PID, 0) == unix.ESRCH {
		return true
	}
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return false // it may be hidden from us
	}
	stat := string(content)
	_, state, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X") || parseStartTime(stat) != p.Started
}

// Keepers returns the other processes that have a session's file open, and keep it: those whose files
// this user may see.
func (d *Driver) Keepers(session string) []int {
	path := d.root.session(session)
	file, err := os.Stat(path)
	if err != nil {
		return nil
	}
	var pids []int
	processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	for _, process := range processes {
		pid, err := strconv.Atoi(filepath.Base(process))
		if err == nil && pid != os.Getpid() && hasOpen(process, filepath.Base(path), file) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// hasOpen reports whether a process has the file of this name open. Others than those of the name are
// not touched: they may be on a file system that hangs.
func hasOpen(process, name string, file os.FileInfo) bool {
	open, _ := filepath.Glob(process + "/fd/*") // none where we may not look
	for _, fd := range open {
		if target, err := os.Readlink(fd); err != nil || filepath.Base(target) != name {
			continue
		}
		if info, err := os.Stat(fd); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}
