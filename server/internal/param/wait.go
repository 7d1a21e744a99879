package param

import (
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Waiting says how long a request waits.
type Waiting struct {
	Wait string `query:"wait" maxLength:"32" example:"30s" doc:"How long to wait, as in 500ms, 30s or 5m. The server has a limit, too."`
}

// Limit is how long the request waits, otherwise when it does not say.
func (w Waiting) Limit(otherwise, most time.Duration) (time.Duration, error) {
	if w.Wait == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(w.Wait)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%w: wait is a duration such as 30s, not %q", driver.ErrInvalid, w.Wait)
	}
	return min(d, most), nil
}
