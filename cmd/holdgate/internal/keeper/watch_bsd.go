//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package keeper

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Watch returns a channel that is closed when the process ends. It is the process that
// has this number now: when the number is given to another, that is not mistaken
// for it.
func Watch(pid int) (<-chan struct{}, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("watch process %d: %w", pid, err)
	}
	event := make([]unix.Kevent_t, 1)
	unix.SetKevent(&event[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event[0].Fflags = unix.NOTE_EXIT
	if _, err = unix.Kevent(queue, event, nil, nil); err != nil {
		_ = unix.Close(queue)
		return nil, fmt.Errorf("watch process %d: %w", pid, err)
	}
	ended := make(chan struct{})
	go func() { // ends with the process that is watched
		defer close(ended)
		defer unix.Close(queue) //nolint:errcheck // nothing was written
		for {
			n, err := unix.Kevent(queue, nil, event, nil)
			if n > 0 || err != nil && err != unix.EINTR {
				return
			}
		}
	}()
	return ended, nil
}
