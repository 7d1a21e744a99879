//go:build unix && !linux

package child

import "syscall"

// endWithParent does nothing: only Linux can end a command with its parent.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// adoptOrphans does nothing: orphans go to process 1 here.
func adoptOrphans() {}
