package holdgate_test

import (
	"math"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Pauses double from 10 ms to a second, give or take a half, and no two clients keep
// step.
func TestBackoff(t *testing.T) {
	t.Parallel()
	c, err := holdgate.New(memdriver.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for failures, mean := range map[int]time.Duration{
		1: 10 * time.Millisecond, 2: 20 * time.Millisecond, 5: 160 * time.Millisecond,
		8: time.Second, 100: time.Second, math.MaxInt: time.Second,
	} {
		seen := make(map[time.Duration]bool)
		for range 100 {
			d := c.Backoff(failures)
			if d < mean/2 || d > 3*mean/2 {
				t.Errorf("after %d failures a pause of %v; want %v, give or take a half", failures, d, mean)
			}
			seen[d] = true
		}
		if len(seen) < 90 {
			t.Errorf("after %d failures only %d different pauses of 100", failures, len(seen))
		}
	}
}
