package fence

import (
	"errors"
	"fmt"

	"github.com/holdgate/holdgate"
)

// ErrStale: the resource was shown a larger token. Always a *StaleError.
var ErrStale = errors.New("stale fencing token")

// StaleError refuses a holder whose lock was granted to another since.
type StaleError struct {
	Name string
	// Token is the one that was shown, Newest the largest that the resource knows.
	Token, Newest holdgate.Token
	// Forgotten: the resource does not remember this name any more, and Newest is the
	// largest token of all names that it forgot. See GateOptions.Names.
	Forgotten bool
}

func (e *StaleError) Error() string {
	if e.Forgotten {
		return fmt.Sprintf("stale fencing token: %v of %q is older than what is remembered, which begins at %v", e.Token, e.Name, e.Newest)
	}
	return fmt.Sprintf("stale fencing token: %v of %q, the lock was granted again since, as %v", e.Token, e.Name, e.Newest)
}

// Unwrap makes errors.Is(err, ErrStale) true.
func (e *StaleError) Unwrap() error { return ErrStale }
