package holdgate

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleptSinceBoot returns how long the machine has been suspended since it was
// booted: CLOCK_BOOTTIME counts that, CLOCK_MONOTONIC does not (clock_gettime(2)).
func sleptSinceBoot() (time.Duration, bool) {
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return 0, false
	}
	return time.Duration(boot.Nano() - mono.Nano()), true
}
