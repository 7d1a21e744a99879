//go:build unix

package child

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// terminal is the one that controls our session, if there is one. At any time it
// has one foreground group: only that may read from it, and gets what the keyboard
// sends. A shell makes ours that group; we lend it to the command's.
type terminal struct {
	fd    int // -1: there is none, or it is not known yet
	own   int // our group
	given bool
}

// openTerminal finds the terminal at standard input.
func openTerminal() *terminal {
	t := &terminal{fd: -1, own: unix.Getpgrp()}
	if _, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err == nil {
		t.fd = 0
	}
	return t
}

// find looks for the terminal when standard input is something else.
func (t *terminal) find() bool {
	if t.fd < 0 {
		if fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
			t.fd = fd
		}
	}
	return t.fd >= 0
}

// ours reports whether the terminal is ours to lend.
func (t *terminal) ours() bool {
	if t.fd < 0 {
		return false
	}
	foreground, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err == nil && foreground == t.own
}

// lend makes the group the foreground one, if the terminal is ours to lend.
func (t *terminal) lend(group int) bool {
	if !t.find() || !t.ours() {
		return false
	}
	t.given = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group) == nil
	return t.given
}

// takeBack makes ours the foreground group again, if it was lent. SIGTTOU is ignored
// by then: else we would be stopped for it, being in the background.
func (t *terminal) takeBack() {
	if t.given {
		t.given = false
		_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, t.own) // the terminal may be gone
	}
}

// inPipeline reports whether we may be a part of a shell's pipeline: others of our
// group, a pager say, need the terminal then. The command gets it when it asks.
func inPipeline() bool {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := f.Stat(); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
			return true
		}
	}
	return false
}
