package supervise

import (
	"errors"

	"github.com/holdgate/holdgate"
)

// evicted reports whether the hold ended because somebody asked for it: then the place
// is still ours, to end in order.
func evicted(err error) bool {
	var lost *holdgate.LostError
	return errors.As(err, &lost) && lost.Reason == holdgate.LostEvicted
}
