package redis_test

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// How long a silent session is kept, for people, by the server's clock; and that one is gone.
func TestRemaining(t *testing.T) {
	t.Parallel()
	server, set := startWithClock(t)
	a := newActor(t, server, nil, time.Hour)
	left := func() time.Duration {
		t.Helper()
		left, err := a.drv.Remaining(t.Context(), a.ses.ID())
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	if got := left(); got > time.Hour+time.Millisecond || got < 50*time.Minute {
		t.Errorf("of an hour %v are left", got)
	}
	set(30 * time.Minute)
	if got := left(); got > 30*time.Minute+time.Millisecond || got < 20*time.Minute {
		t.Errorf("half an hour later %v are left", got)
	}
	if err := a.ses.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := a.drv.Remaining(t.Context(), a.ses.ID())
	fails(t, err, driver.ErrGone, "Remaining of a session that was closed")
}
