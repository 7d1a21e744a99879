package memdriver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// S14: a session that is revoked is gone with all its places, and stays gone.
func TestExpireSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		s, next := open(t, d, time.Hour), open(t, d, time.Hour)
		must(t, s.Enter, claim("l", 1))
		p := must(t, next.Enter, claim("l", 2))
		time.AfterFunc(time.Second, func() {
			if !d.Store().ExpireSession(s.ID()) {
				t.Error("the session was not there")
			}
		})
		must(t, next.Wait, p)
		_, err := s.Enter(t.Context(), claim("l", 1))
		wantErr(t, err, driver.ErrSessionLost)
		if d.Store().ExpireSession(s.ID()) {
			t.Error("the session was there again")
		}
	})
}

// S06: who waits on a session that ends is told.
func TestWaiterOfLostSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		s := open(t, d, time.Hour)
		must(t, s.Enter, claim("l", 1))
		p := must(t, s.Enter, claim("l", 2))
		time.AfterFunc(time.Second, func() { d.Store().ExpireSession(s.ID()) })
		_, err := s.Wait(t.Context(), p)
		wantErr(t, err, driver.ErrSessionLost)
	})
}

// S13: an operator deletes the entry.
func TestRemovePlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		s := open(t, d, time.Hour)
		must(t, s.Enter, claim("l", 1))
		p := must(t, s.Enter, claim("l", 2))
		time.AfterFunc(time.Second, func() { d.Store().RemovePlace("l", p.ID) })
		_, err := s.Wait(t.Context(), p)
		wantErr(t, err, driver.ErrGone)
		if got := present(t, s); len(got) != 1 {
			t.Errorf("got %d places, want 1", len(got))
		}
		if d.Store().RemovePlace("l", p.ID) {
			t.Error("the place was there again")
		}
	})
}

// S48: a place of other software holds everybody up, is shown, and goes only by
// force.
func TestForeignPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		if err := d.Store().PutForeign("l", "lock-0000000001"); err != nil {
			t.Fatal(err)
		}
		wantErr(t, d.Store().PutForeign("l", "lock-0000000001"), driver.ErrInvalid)
		s := open(t, d, time.Hour)
		p := must(t, s.Enter, claim("l", 1))
		wantGranted(t, d, "l", true, false)
		if got := must(t, d.Line, "l").Places[0]; !got.Foreign || got.Order != 0 {
			t.Errorf("got %+v, want a foreign place", got)
		}
		e := driver.Eviction{Reason: "stale", By: "operator"}
		wantErr(t, d.Evict(t.Context(), "l", "lock-0000000001", e), driver.ErrUnsupported)
		e.Force = true
		time.AfterFunc(time.Second, func() {
			if err := d.Evict(t.Context(), "l", "lock-0000000001", e); err != nil {
				t.Error(err)
			}
		})
		must(t, s.Wait, p)
	})
}
