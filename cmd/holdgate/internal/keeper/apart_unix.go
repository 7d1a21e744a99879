//go:build unix

package keeper

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// apart makes cmd a process that has nothing to do with our terminal, and no file of
// ours: somebody may wait for the last one to close a pipe, a shell for what $(...)
// prints for one.
func apart(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
