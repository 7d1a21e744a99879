package filedriver

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// thisProcess describes the calling process.
func thisProcess() process {
	pid := os.Getpid()
	p := process{PID: pid, Started: startTime(pid)}
	p.Namespace, _ = os.Readlink("/proc/self/ns/pid") // without it nobody relies on PID
	return p
}

// startTime returns when a process began, in ticks since boot: with the PID, it tells one
// process from another.
func startTime(pid int) string {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return parseStartTime(string(content))
}

// parseStartTime takes the 22nd field of /proc/PID/stat. The second one is the program's
// name in parentheses, which may contain anything.
func parseStartTime(stat string) string {
	rest := stat[strings.LastIndexByte(stat, ')')+1:]
	const started = 22 - 3 // what is left begins with the third field
	if f := strings.Fields(rest); len(f) > started {
		return f[started]
	}
	return ""
}

// awaitExit returns when the process has ended, or ctx has; and at once when it cannot
// tell: the process is in another PID namespace, or is another one by now, or the
// kernel has no pidfd.
func awaitExit(ctx context.Context, p process) {
	own, err := os.Readlink("/proc/self/ns/pid")
	if err != nil || own != p.Namespace || p.Started == "" {
		return
	}
	fd, err := unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer func() { _ = f.Close() }()
	// The number may have gone to another process before it was opened.
	if startTime(p.PID) != p.Started {
		return
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	defer stop()
	// Waits in the poller of the runtime: no thread is held.
	_ = raw.Read(func(fd uintptr) bool { return exited(int(fd)) })
}

// exited reports whether the process of a pidfd has ended: then it can be read from, as
// poll(2) says.
func exited(pidfd int) bool {
	fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}
