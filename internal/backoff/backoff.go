// Package backoff waits between the attempts of what has to get through to a store. The root
// has its own, on the client's clock.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// First is about how long it takes until the second attempt.
const First = 50 * time.Millisecond

// Pause waits longer after each failure, at most for so long, and not for as long as others do.
// It returns the cause of ctx when that ends.
func Pause(ctx context.Context, failures int, most time.Duration) error {
	d := min(First<<min(failures-1, 10), most)
	timer := time.NewTimer(d/2 + rand.N(d/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
