//go:build unix

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
)

// become goes on as another program, in the same process. Of our files that one inherits
// keep, with its lock.
func become(program string, args []string, keep *os.File) error {
	if _, err := unix.FcntlInt(keep.Fd(), unix.F_SETFD, 0); err != nil { // else exec closes it
		return err
	}
	return fmt.Errorf("%w: %q: %w", child.ErrNotExecutable, args[0], unix.Exec(program, args, os.Environ()))
}
