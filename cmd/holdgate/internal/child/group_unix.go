//go:build unix

package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal passes a signal on to the whole group.
func (p *Process) Signal(sig os.Signal) {
	if number, ok := sig.(syscall.Signal); ok {
		_ = unix.Kill(-p.pid, number) // a group that is gone needs none
	}
}

// Terminate asks the group to end. One that is stopped is continued, so that it can.
func (p *Process) Terminate() {
	p.Signal(unix.SIGTERM)
	p.Signal(unix.SIGCONT)
}

// Kill ends the group, stopped or not.
func (p *Process) Kill() { p.Signal(unix.SIGKILL) }

// Left reports whether anything is left of the group that can still do something. Called
// when the command has ended: then the number of its group is not given to another
// as long as somebody is in it.
func (p *Process) Left() bool { return unix.Kill(-p.pid, 0) != unix.ESRCH && alive(p.pid) }
