package etcd_test

import (
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// How long a silent session is kept, for people; and that one is gone.
func TestRemaining(t *testing.T) {
	t.Parallel()
	d := newDriver(t, etcdserver.Start(t, 1), nil)
	ses := openSession(t, d, time.Hour)
	if left, err := d.Remaining(t.Context(), ses.ID()); err != nil || left > time.Hour || left < 50*time.Minute {
		t.Errorf("of an hour %v are left, %v", left, err)
	}
	if err := ses.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Remaining(t.Context(), ses.ID()); !errors.Is(err, driver.ErrGone) {
		t.Errorf("of one that was closed: %v", err)
	}
	if _, err := d.Remaining(t.Context(), "no lease"); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("of what is no session: %v", err)
	}
}
