package redisdriver

import (
	"context"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Remaining returns how long Redis keeps a session that it hears no more of: for people who look
// for the ones that are not renewed. It answers driver.ErrGone when there is no such session.
func (d *Driver) Remaining(ctx context.Context, session string) (time.Duration, error) {
	answer, err := d.call(ctx, newRequest(d.scripts.remaining, d.keys.ofSession(session), session))
	if err != nil {
		return 0, fmt.Errorf("remaining time of session %s: %w", session, err)
	}
	if answer.text(0) != saysOK {
		return 0, fmt.Errorf("%w: session %s", driver.ErrGone, session)
	}
	return time.Duration(number(answer.text(1))) * time.Millisecond, nil
}
