package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now is the time of a history: CLOCK_MONOTONIC, which is one for all processes of a
// machine and which nobody sets. Go's own monotonic time begins anew in each process.
func Now() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err) // every Linux has it
	}
	return time.Duration(now.Nano())
}
