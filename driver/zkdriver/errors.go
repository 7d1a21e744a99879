package zkdriver

import (
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Answers that a caller of a request has to look at are left as they are. All other errors
// are classified.
func answer(err error) bool {
	return oneOf(err, zk.ErrNoNode, zk.ErrNodeExists, zk.ErrBadVersion, zk.ErrNotEmpty)
}

// read classifies what a request failed with that changes nothing.
func read(err error) error { return classify(err, driver.ErrUnavailable) }

// wrote classifies what a request failed with that would change something.
func wrote(err error) error { return classify(err, driver.ErrUnknownOutcome) }

func classify(err, unanswered error) error {
	switch {
	case err == nil || answer(err):
		return err
	case oneOf(err, zk.ErrSessionExpired):
		return fmt.Errorf("%w: %w", driver.ErrSessionLost, err)
	case oneOf(err, zk.ErrNoAuth, zk.ErrAuthFailed, zk.ErrInvalidACL):
		return fmt.Errorf("%w: %w", driver.ErrDenied, err)
	case oneOf(err, zk.ErrNoServer, zk.ErrSessionMoved):
		// Not sent, or refused: the session is another server's by now.
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	case oneOf(err, zk.ErrNoChildrenForEphemerals):
		return fmt.Errorf("%w: the line's node is a lock in the layout %q: %w", driver.ErrMismatch, driver.LayoutSingle, err)
	case oneOf(err, zk.ErrShortBuffer):
		return fmt.Errorf("%w: %w", driver.ErrTooLarge, err)
	}
	return fmt.Errorf("%w: %w", unanswered, err)
}

// afterWrite is what an error means to a caller when an earlier request of the same
// operation has changed something.
func afterWrite(err error) error {
	if oneOf(err, driver.ErrUnavailable) {
		return fmt.Errorf("%w: %v", driver.ErrUnknownOutcome, err) //nolint:errorlint // an error is of one kind
	}
	return err
}

// gone is the answer about a place that does not stand.
func gone(line, id string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, id, line)
}

func oneOf(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
