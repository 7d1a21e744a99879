package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// New touches nothing: the session is opened when it is first needed, once for all
// who need it.
func TestOpenOnFirstUse(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		if n := p.faults.total(); n != 0 {
			t.Errorf("New made %d calls", n)
		}
		p.faults.next(memdriver.OpOpen, memdriver.Fault{AnswerDelay: time.Second})
		attempts := make([]*attempt, 20)
		for i := range attempts {
			attempts[i] = p.lockLater(t.Context(), string(rune('a'+i)))
		}
		for _, a := range attempts {
			mustRelease(t, a.granted(t, time.Second))
		}
		if n := len(store.Sessions()); n != 1 {
			t.Errorf("%d sessions; want 1", n)
		}
		opened := p.events.of(holdgate.EventSessionOpened)
		if len(opened) != 1 || opened[0].Took != time.Second || opened[0].Session != store.Sessions()[0] {
			t.Errorf("told of sessions: %+v", opened)
		}
	})
}

// One who gives up while a session is opened leaves the Open to the others.
func TestOpenOutlivesItsFirstCaller(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.faults.next(memdriver.OpOpen, memdriver.Fault{AnswerDelay: time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		first := p.lockLater(ctx, "x")
		first.pending(t)
		second := p.lockLater(t.Context(), "y")
		second.pending(t)
		cancel()
		first.refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		mustRelease(t, second.granted(t, time.Second))
		if n := p.faults.count(memdriver.OpOpen); n != 1 {
			t.Errorf("%d calls of Open; want 1", n)
		}
	})
}

// The trust that an Open gives counts from when it was sent.
func TestOpenTrust(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.faults.next(memdriver.OpOpen, memdriver.Fault{AnswerDelay: time.Second})
		begun := time.Now()
		h := p.mustLock(t, "x")
		if got, want := h.TrustedUntil(), begun.Add(believed); !got.Equal(want) {
			t.Errorf("trusted for %v after the Open was sent; want %v", got.Sub(begun), believed)
		}
	})
}

// So the first renewal is due from there too: a slow Open must not lose the session.
func TestOpenAnsweredSlowly(t *testing.T) {
	for _, slow := range []time.Duration{renewEvery, ttl/2 - time.Millisecond} {
		t.Run(slow.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				p.faults.next(memdriver.OpOpen, memdriver.Fault{AnswerDelay: slow})
				h := p.mustLock(t, "x")
				pass(time.Millisecond)
				if n := p.faults.count(memdriver.OpRenew); n != 1 {
					t.Errorf("%d renewals so far; want 1", n)
				}
				pass(3 * ttl)
				wantHeld(t, h)
			})
		})
	}
}

// An Open that is answered too late to be worth anything is tried again.
func TestOpenAnsweredTooLate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.faults.next(memdriver.OpOpen, memdriver.Fault{AnswerDelay: ttl})
		h := p.lockLater(t.Context(), "x").granted(t, ttl/2+time.Second)
		if n := p.faults.count(memdriver.OpOpen); n != 2 {
			t.Errorf("%d calls of Open; want 2", n)
		}
		mustRelease(t, h)
	})
}

// A session whose trust is over before it is published must not stay the client's: no
// lock could ever be taken again.
func TestOpenExpiredBeforePublished(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		if err := p.OpenTooLate(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustRelease(t, p.lockLater(t.Context(), "x").granted(t, time.Second))
		if n := p.Sessions(); n != 1 {
			t.Errorf("%d sessions are remembered; want the one that lives", n)
		}
	})
}

// How long callers without a deadline wait for a store that is away: a Lock for one
// TTL, a try for a quarter.
func TestOpenUnavailable(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				p.drv.SetLink(link)
				lock, try := p.lockLater(t.Context(), "x"), p.tryLater(t.Context(), "y")
				try.refused(t, ttl, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
				if try.took < ttl/4 || try.took > ttl/4+2*time.Second {
					t.Errorf("a try gave up after %v; want about %v", try.took, ttl/4)
				}
				lock.refused(t, ttl, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
				if lock.took < ttl || lock.took > ttl+2*time.Second {
					t.Errorf("a lock gave up after %v; want about %v", lock.took, ttl)
				}
			})
		})
	}
}

// The same when a session is there already and its store goes away: no try takes
// longer than a quarter of a TTL, and a Lock ends soon after its session.
func TestEnterUnavailable(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				p.warm(t)
				p.drv.SetLink(link)
				lock, try := p.lockLater(t.Context(), "x"), p.tryLater(t.Context(), "y")
				try.refused(t, ttl/4+2*time.Second, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
				lock.refused(t, 2*ttl, holdgate.ErrUnavailable, holdgate.ErrNotAcquired)
				if lock.took < ttl || lock.took > 3*ttl/2+2*time.Second {
					t.Errorf("a lock gave up after %v; want %v, or a half more", lock.took, ttl)
				}
			})
		})
	}
}
