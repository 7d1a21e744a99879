package child

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithParent has the kernel kill the command when we die, even by SIGKILL.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// adoptOrphans makes this process the parent of all that its command leaves behind,
// so that the end of the last one is seen. In a container process 1 may be a program
// that never collects its dead, and a group of dead processes still counts as one.
func adoptOrphans() {
	// Where it is refused, the group is looked at now and then, as on other systems.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}
