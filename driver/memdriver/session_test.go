package memdriver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// The store keeps a session for its TTL, to the nanosecond, and then wakes who is
// next.
func TestSessionExpiresOnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		s := open(t, store.Connect(nil), time.Minute) // the first deadline, and not the earliest
		dead := open(t, store.Connect(nil), 10*time.Second)
		must(t, dead.Enter, claim("l", 1))
		p := must(t, s.Enter, claim("l", 2))

		start := time.Now()
		if p = must(t, s.Wait, p); !p.Granted {
			t.Error("got a place that is not granted")
		}
		if got := time.Since(start); got != 10*time.Second {
			t.Errorf("the next was granted after %v, want 10s", got)
		}
		_, err := dead.Renew(t.Context())
		wantErr(t, err, driver.ErrSessionLost)
		if err := dead.Close(t.Context()); err != nil {
			t.Errorf("closing a lost session: %v", err)
		}
	})
}

// Nobody has to be there when a session expires: the first who looks finds it gone.
func TestExpiredPlaceIsNeverSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		must(t, open(t, d, time.Second).Enter, claim("l", 1))
		time.Sleep(time.Second)
		// No Wait: the alarm and this call may come in any order.
		if l := must(t, d.Line, "l"); len(l.Places) != 0 {
			t.Errorf("got %d places of a session that expired", len(l.Places))
		}
	})
}

func TestRenewStartsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memdriver.New(), 10*time.Second)
		for range 5 {
			time.Sleep(10*time.Second - 1)
			if _, err := s.Renew(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Second)
		_, err := s.Renew(t.Context())
		wantErr(t, err, driver.ErrSessionLost)
	})
}

// With a lag, a renewal that was answered saves the session only if the store knew
// of it in time, and from the moment at which it was answered.
func TestRenewLag(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		renews []time.Duration
		lost   time.Duration
	}{
		"none":             {nil, 10 * time.Second},
		"in time":          {[]time.Duration{6 * time.Second}, 16 * time.Second},
		"too late":         {[]time.Duration{7 * time.Second}, 10 * time.Second},
		"the second saves": {[]time.Duration{2 * time.Second, 8 * time.Second}, 18 * time.Second},
		"steady":           {[]time.Duration{2e9, 4e9, 6e9, 8e9, 10e9, 12e9}, 22 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := memdriver.NewStore()
				d := store.Connect(&memdriver.Options{RenewLag: 3 * time.Second})
				if got := d.Features().RenewLag; got != 3*time.Second {
					t.Errorf("got lag %v, want 3s", got)
				}
				start := time.Now()
				s := open(t, d, 10*time.Second)
				must(t, s.Enter, claim("l", 1))
				for _, at := range tc.renews {
					time.Sleep(at - time.Since(start))
					if _, err := s.Renew(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				next := open(t, store.Connect(nil), time.Hour)
				must(t, next.Wait, must(t, next.Enter, claim("l", 2)))
				if got := time.Since(start); got != tc.lost {
					t.Errorf("lost after %v, want %v", got, tc.lost)
				}
			})
		})
	}
}

// A TTL that reaches past the end of time does not wrap around.
func TestEndlessTTL(t *testing.T) {
	t.Parallel()
	s := open(t, memdriver.New(), 1<<63-1)
	if _, err := s.Renew(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// A user's bubble: when all is closed, nothing runs and no timer is left that could
// advance the time. The bubble itself fails on a goroutine.
func TestNothingIsLeftAfterClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		s := open(t, d, 10*time.Second)
		p := must(t, s.Enter, claim("l", 1))
		done := make(chan error)
		go func() {
			for _, err := range d.Watch(t.Context(), driver.Query{Prefix: true}) {
				if err != nil {
					done <- err
				}
			}
		}()
		q := must(t, s.Enter, claim("l", 2))
		go func() { _, err := s.Wait(t.Context(), q); done <- err }()
		synctest.Wait()
		if err := s.Leave(t.Context(), p.Line, p.ID); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Errorf("the waiter got %v", err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		wantErr(t, <-done, driver.ErrClosed)
		if memdriver.AlarmIsSet(d.Store()) {
			t.Error("a timer is left")
		}
	})
}

// Closing a handle is a death: its calls end, its sessions stay until they expire,
// and other handles work.
func TestCloseAbandonsSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		d := store.Connect(nil)
		s := open(t, d, 10*time.Second)
		must(t, s.Enter, claim("l", 1))
		q := must(t, s.Enter, claim("l", 2))
		waited := make(chan error)
		go func() { _, err := s.Wait(t.Context(), q); waited <- err }()
		synctest.Wait()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		wantErr(t, <-waited, driver.ErrClosed)
		_, err := s.Enter(t.Context(), claim("l", 3))
		wantErr(t, err, driver.ErrClosed)
		wantErr(t, s.Leave(t.Context(), "l", id(1)), driver.ErrClosed)
		_, err = d.Line(t.Context(), "l")
		wantErr(t, err, driver.ErrClosed)
		if err := d.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}

		other := store.Connect(nil)
		if l := must(t, other.Line, "l"); len(l.Places) != 2 {
			t.Errorf("got %d places of a process that just died, want 2", len(l.Places))
		}
		time.Sleep(10 * time.Second)
		if l := must(t, other.Line, "l"); len(l.Places) != 0 {
			t.Errorf("got %d places a TTL later, want none", len(l.Places))
		}
	})
}

// S49: a name used once costs nothing afterwards, and its orders go on.
func TestNamesUsedOnceAreForgotten(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	s := open(t, d, time.Minute)
	first := must(t, s.Enter, claim("again", 0))
	leave(t, s, first)
	for n := range 100_000 {
		leave(t, s, must(t, s.Enter, claim("once/"+id(n), n)))
	}
	if got := len(d.Store().Lines()); got != 0 {
		t.Errorf("got %d lines, want none", got)
	}
	if p := must(t, s.Enter, claim("again", 1)); p.Order <= first.Order {
		t.Errorf("got order %d after %d", p.Order, first.Order)
	}
}

// A call whose context has ended changes nothing.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	s := open(t, d, time.Minute)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := context.DeadlineExceeded
	cancel(why)
	_, err := s.Enter(ctx, claim("l", 1))
	wantErr(t, err, why)
	if got := d.Store().Lines(); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

func leave(t testing.TB, s driver.Session, p driver.Place) {
	t.Helper()
	if err := s.Leave(t.Context(), p.Line, p.ID); err != nil {
		t.Fatal(err)
	}
}
