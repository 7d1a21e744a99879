//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package keeper

import (
	"errors"
	"fmt"
)

// Watch cannot be done here.
func Watch(pid int) (<-chan struct{}, error) {
	return nil, fmt.Errorf("watch process %d: %w on this system", pid, errors.ErrUnsupported)
}
