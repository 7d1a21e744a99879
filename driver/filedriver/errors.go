package filedriver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/holdgate/holdgate/driver"
)

// kinds are the errors that need no translation.
func kinds() []error {
	return []error{
		driver.ErrBusy, driver.ErrGone, driver.ErrConflict, driver.ErrSessionLost, driver.ErrUnavailable,
		driver.ErrUnsupported, driver.ErrMismatch, driver.ErrTooLarge, driver.ErrDenied, driver.ErrInvalid,
		driver.ErrClosed,
	}
}

// translate gives an error of the operating system its kind. A call on a local file
// has an answer, so there is no unknown outcome.
func translate(err error) error {
	if err == nil || slices.ContainsFunc(kinds(), func(kind error) bool { return errors.Is(err, kind) }) {
		return err
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", driver.ErrDenied, err)
	}
	return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
}

// cancelled tells why a context ended.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("cancelled: %w", context.Cause(ctx))
}

func gone(line, id string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, id, line)
}
