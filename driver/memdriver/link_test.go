package memdriver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// A link that hangs: calls wait for it or for their context, and nothing is lost.
func TestLinkHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		s := open(t, d, time.Hour)
		d.SetLink(memdriver.LinkHangs)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Enter(ctx, claim("l", 1))
		wantErr(t, err, context.DeadlineExceeded)
		wantErr(t, err, driver.ErrUnknownOutcome)

		start := time.Now()
		time.AfterFunc(5*time.Second, func() { d.SetLink(memdriver.LinkUp) })
		must(t, s.Enter, claim("l", 2))
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("returned after %v, want 5s", got)
		}
		if got := d.Store().Lines(); len(got) != 1 || len(got[0].Places) != 1 {
			t.Errorf("got %v, want the second place only", got)
		}
	})
}

// S39: a wake-up that is held up comes when the link is up again.
func TestLinkHoldsUpWakeUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder := open(t, store.Connect(nil), time.Hour)
		p := must(t, holder.Enter, claim("l", 1))
		d := store.Connect(nil)
		s := open(t, d, time.Hour)
		q := must(t, s.Enter, claim("l", 2))

		time.AfterFunc(time.Second, func() { d.SetLink(memdriver.LinkHangs) })
		time.AfterFunc(2*time.Second, func() { leave(t, holder, p) })
		time.AfterFunc(7*time.Second, func() { d.SetLink(memdriver.LinkUp) })
		start := time.Now()
		must(t, s.Wait, q)
		if got := time.Since(start); got != 7*time.Second {
			t.Errorf("woken after %v, want 7s", got)
		}
	})
}

// A link that refuses: calls fail, those under way lose their answer, waits and
// watches end.
func TestLinkRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, heal := newRig(t, memdriver.OpUpdate, memdriver.Fault{AnswerDelay: 10 * time.Second})
		defer heal()
		p := must(t, r.session.Enter, claim("l", 1))
		q := must(t, r.session.Enter, claim("l", 2))
		time.AfterFunc(time.Second, func() { r.driver.SetLink(memdriver.LinkRefuses) })

		waited, watched := make(chan error, 1), make(chan error, 1)
		go func() { _, err := r.session.Wait(t.Context(), q); waited <- err }()
		go func() {
			for _, err := range r.driver.Watch(t.Context(), driver.Query{Name: "l"}) {
				if err != nil {
					watched <- err
				}
			}
		}()
		_, err := r.session.Update(t.Context(), p)
		wantErr(t, err, driver.ErrUnknownOutcome)
		wantErr(t, <-waited, driver.ErrUnavailable)
		// The watch had a change to deliver or not: it ends all the same.
		wantErr(t, <-watched, driver.ErrUnavailable)
		_, err = r.session.Renew(t.Context())
		wantErr(t, err, driver.ErrUnavailable)

		r.driver.SetLink(memdriver.LinkUp)
		if _, err := r.session.Renew(t.Context()); err != nil {
			t.Errorf("after the link is up: %v", err)
		}
	})
}

// Other handles do not notice.
func TestLinkIsOfOneHandle(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	d := store.Connect(nil)
	d.SetLink(memdriver.LinkRefuses)
	open(t, store.Connect(nil), time.Minute)
}

// A closed handle stays closed.
func TestLinkAfterClose(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d.SetLink(memdriver.LinkUp)
	_, err := d.Line(t.Context(), "l")
	wantErr(t, err, driver.ErrClosed)
}
