package keeper

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Watch returns a channel that is closed when the process ends. It is the process that
// has this number now: when the number is given to another, that is not mistaken
// for it.
func Watch(pid int) (<-chan struct{}, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("watch process %d: %w", pid, err)
	}
	ended := make(chan struct{})
	go func() { // ends with the process that is watched
		defer close(ended)
		defer unix.Close(fd) //nolint:errcheck // nothing was written
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1) //nolint:gosec // descriptors are small
			if n > 0 || err != nil && err != unix.EINTR {
				return
			}
		}
	}()
	return ended, nil
}
