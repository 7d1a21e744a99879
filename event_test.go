package holdgate_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// What an observer is told of the life of one lock.
func TestEvents(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		p.warm(t)
		session := store.Sessions()[0]

		first := other.mustLock(t, "x")
		w := p.lockLater(t.Context(), "x")
		pass(time.Second)
		mustRelease(t, first)
		h := w.granted(t, 0)
		token := h.Token()
		pass(2 * time.Second)
		mustRelease(t, h)

		acquired := p.events.of(holdgate.EventAcquired)[1]
		want := holdgate.Event{
			Type: holdgate.EventAcquired, Session: session, Name: "x", PlaceID: h.PlaceID(), Token: token, Took: time.Second,
			Context: t.Context(),
		}
		if acquired != want {
			t.Errorf("got  %+v\nwant %+v", acquired, want)
		}
		released := p.events.of(holdgate.EventReleased)[1]
		want.Type, want.Took, want.Context = holdgate.EventReleased, 2*time.Second, nil
		if released != want {
			t.Errorf("got  %+v\nwant %+v", released, want)
		}
	})
}

// A failure to acquire is told, with the error that the caller got.
func TestEventNotAcquired(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		startProc(t, store, nil).mustLock(t, "x")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.Mutex("x").Lock(ctx)
		told := p.events.of(holdgate.EventAcquired)
		if len(told) != 1 || told[0].Err != err || told[0].Took != time.Second || told[0].Name != "x" { //nolint:errorlint // the same one
			t.Errorf("got %+v; want the error %v", told, err)
		}
	})
}

// Renewals are told, also those that failed, and how much time was left.
func TestEventRenewed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.mustLock(t, "x")
		p.faults.next(memdriver.OpRenew, memdriver.Fault{Err: errStoreDown})
		p.faults.next(memdriver.OpRenew, memdriver.Fault{AnswerDelay: time.Second})
		pass(renewEvery + 2*time.Second)
		told := p.events.of(holdgate.EventRenewed)
		if len(told) != 2 {
			t.Fatalf("told of %d renewals; want 2: %+v", len(told), told)
		}
		wantErr(t, told[0].Err, holdgate.ErrUnavailable)
		if got, want := told[0].Slack, believed-renewEvery; got != want {
			t.Errorf("when it failed %v were left; want %v", got, want)
		}
		if e := told[1]; e.Err != nil || e.Took != time.Second || e.Slack != believed-time.Second {
			t.Errorf("the second: %+v; want it to take a second and leave %v", e, believed-time.Second)
		}
	})
}

// A loss is told once for the session and once for each hold; the log has it too.
func TestEventLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		var log strings.Builder
		p := startProc(t, store, &holdgate.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		x, y := p.mustLock(t, "x"), p.mustLock(t, "y")
		token := x.Token()
		session := store.Sessions()[0]
		pass(2 * time.Second) // long enough that nothing but renewals is sent
		store.ExpireSession(session)
		pass(renewEvery)
		lost := p.events.of(holdgate.EventSessionLost)
		if len(lost) != 1 || lost[0].Session != session || !errors.Is(lost[0].Err, holdgate.ErrLost) {
			t.Errorf("told of lost sessions: %+v", lost)
		}
		told := map[string]holdgate.Event{}
		for _, e := range p.events.of(holdgate.EventLost) {
			told[e.Name] = e
		}
		if e := told["x"]; e.PlaceID != x.PlaceID() || e.Token != token || e.Took != renewEvery || e.Err != x.Err() { //nolint:errorlint // the same one
			t.Errorf("told of x: %+v", e)
		}
		if len(told) != 2 || told["y"].PlaceID != y.PlaceID() {
			t.Errorf("told of lost holds: %+v", told)
		}
		for _, want := range []string{"session lost", "session=" + session, `reason="session gone"`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %q: %s", want, log.String())
			}
		}
		// Released afterwards, it is not told as released.
		wantErr(t, x.Release(t.Context()), holdgate.ErrLost)
		if n := len(p.events.of(holdgate.EventReleased)); n != 0 {
			t.Errorf("told of %d releases; want none", n)
		}
	})
}

// A release that has to be retried is logged, once.
func TestLogOfRetriedRelease(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var log strings.Builder
		p := startProc(t, memdriver.NewStore(), &holdgate.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		h := p.mustLock(t, "x")
		for range 5 {
			p.faults.next(memdriver.OpLeave, memdriver.Fault{Lose: memdriver.LoseRequest})
		}
		mustRelease(t, h)
		if n := strings.Count(log.String(), "release retried"); n != 1 {
			t.Errorf("logged %d times; want once: %s", n, log.String())
		}
		if !strings.Contains(log.String(), "name=x place="+h.PlaceID()) {
			t.Errorf("the log does not say what: %s", log.String())
		}
	})
}

// A release that finds its place gone tells of a loss, not of a release, and so does one
// that is not waited for.
func TestEventLostAtRelease(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, opts)
				h := p.mustLock(t, "x")
				store.RemovePlace("x", h.PlaceID())
				err := h.Release(t.Context())
				wantErr(t, err, holdgate.ErrLost)
				if e := p.events.of(holdgate.EventLost); len(e) != 1 || e[0].Err != err || e[0].PlaceID != h.PlaceID() { //nolint:errorlint // the same one
					t.Errorf("told of losses: %+v; want %v", e, err)
				}
				_ = p.Do(t.Context(), "x", func(_ context.Context, h *holdgate.Hold) error {
					store.RemovePlace("x", h.PlaceID())
					return nil
				})
				pass(0)
				if n := len(p.events.of(holdgate.EventLost)); n != 2 {
					t.Errorf("told of %d losses; want 2", n)
				}
				if e := p.events.of(holdgate.EventReleased); len(e) != 0 {
					t.Errorf("told of releases: %+v; want none", e)
				}
			})
		})
	}
}

// A release that the store refuses does not keep its caller, and tells why; it goes on
// in the background until the store takes it.
func TestReleaseRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		lift := p.faults.always(memdriver.OpLeave, memdriver.Fault{Err: holdgate.ErrDenied})
		begun := time.Now()
		err := h.Release(t.Context())
		wantErr(t, err, holdgate.ErrDenied)
		if took := time.Since(begun); took > 0 {
			t.Errorf("Release took %v", took)
		}
		if e := p.events.of(holdgate.EventReleased); len(e) != 1 || e[0].Err != err { //nolint:errorlint // the same one
			t.Errorf("told of releases: %+v; want %v", e, err)
		}
		pass(2 * ttl)
		lift()
		pass(2 * time.Second)
		wantNothingLeft(t, store)
	})
}

// Who counts what is under way and what is held, by one up and one down, ends at nothing:
// whatever way locks are taken, refused, given back, lost or closed.
func TestEventsComeInPairs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, ctx := startProc(t, store, nil), t.Context()
		level := func(up holdgate.EventType, down ...holdgate.EventType) (n int) {
			for _, e := range p.events.of(up) {
				if up == holdgate.EventAcquiring || e.Err == nil {
					n++
				}
			}
			for _, kind := range down {
				n -= len(p.events.of(kind))
			}
			return n
		}
		want := func(when string, underWay, held int) {
			t.Helper()
			pass(time.Millisecond) // what is told in the background
			if got := level(holdgate.EventAcquiring, holdgate.EventAcquired); got != underWay {
				t.Errorf("%s: %d are under way, want %d", when, got, underWay)
			}
			if got := level(holdgate.EventAcquired, holdgate.EventReleased, holdgate.EventLost); got != held {
				t.Errorf("%s: %d are held, want %d", when, got, held)
			}
		}

		one := p.mustLock(t, "x")
		together, err := p.TryLockAll(ctx, "a", "b")
		if err != nil {
			t.Fatal(err)
		}
		read, err := p.RWMutex("rw").RLock(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want("three calls", 0, 4)
		w := p.lockLater(ctx, "x")
		_, _ = p.TryLockAll(ctx, "a", "c")
		_, _ = p.Mutex("x").TryLock(ctx)
		want("a wait and two tries", 1, 4)
		mustRelease(t, one)
		again := w.granted(t, time.Second)
		nested, err := p.Reentrant("x").Lock(again.Context())
		if err != nil {
			t.Fatal(err)
		}
		want("taken again", 0, 4)
		mustRelease(t, nested)
		want("one of two given back", 0, 4)
		mustRelease(t, again)
		mustRelease(t, together)
		want("given back", 0, 1)
		store.RemovePlace("rw", read.PlaceID())
		_ = read.Verify(ctx)
		want("lost", 0, 0)
		p.mustLock(t, "y")
		want("held when it is closed", 0, 1)
		if err := p.Close(ctx); err != nil {
			t.Fatal(err)
		}
		want("closed", 0, 0)
	})
}
