//go:build !linux

package holdgate

import "time"

// sleptSinceBoot is not known here: a jump of the wall clock counts as a suspend.
func sleptSinceBoot() (time.Duration, bool) { return 0, false }
