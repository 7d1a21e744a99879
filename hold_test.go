package holdgate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// colour is a key of a caller's context.
type colour struct{}

// The context of a hold has the values of the context that the lock was taken with,
// and not its end.
func TestHoldContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), colour{}, "red"), time.Second)
		defer cancel()
		h, err := p.Mutex("x").Lock(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Context().Value(colour{}); got != "red" {
			t.Errorf("the value is %v; want red", got)
		}
		if _, bound := h.Context().Deadline(); bound {
			t.Error("the deadline of the wait bounds the hold")
		}
		if h.Context() != h.Context() {
			t.Error("two contexts of one hold")
		}
		<-ctx.Done()
		wantHeld(t, h)
		mustRelease(t, h)
		if cause := context.Cause(h.Context()); !errors.Is(cause, holdgate.ErrNotHeld) {
			t.Errorf("after the release the cause is %v", cause)
		}
		<-h.Done()
	})
}

// The context that is first asked for after the end has ended too, with the cause.
func TestHoldContextAfterEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		released, gone := p.mustLock(t, "x"), p.mustLock(t, "y")
		mustRelease(t, released)
		<-released.Done()
		wantErr(t, context.Cause(released.Context()), holdgate.ErrNotHeld)
		store.ExpireSession(store.Sessions()[0])
		pass(renewEvery)
		<-gone.Done()
		wantErr(t, context.Cause(gone.Context()), holdgate.ErrLost)
		wantErr(t, released.Err(), holdgate.ErrNotHeld) // the loss is none of its business
	})
}

func TestHoldAccessors(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		begun := time.Now()
		h := p.mustLock(t, "x")
		at := placesOf(store, "x")[0]
		if h.Name() != "x" || h.PlaceID() != at.ID {
			t.Errorf("name %q, place %q; want \"x\" and %q", h.Name(), h.PlaceID(), at.ID)
		}
		if got, want := h.Token(), holdgate.Token(at.Order<<8); got != want || got == 0 {
			t.Errorf("token %v; want %v", got, want)
		}
		if got, want := h.TrustedUntil(), begun.Add(believed); !got.Equal(want) {
			t.Errorf("trusted until %v; want %v", got, want)
		}
		pass(renewEvery + time.Millisecond)
		if got, want := h.TrustedUntil(), begun.Add(renewEvery+believed); !got.Equal(want) {
			t.Errorf("after a renewal trusted until %v; want %v", got, want)
		}
		mustRelease(t, h)
		if h.Token() != 0 || !h.TrustedUntil().IsZero() {
			t.Errorf("released: token %v, trusted until %v", h.Token(), h.TrustedUntil())
		}
		if h.Name() != "x" || h.PlaceID() != at.ID {
			t.Error("a hold forgets its name or place when it ends")
		}
	})
}

func TestVerify(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		if err := h.Verify(t.Context()); err != nil {
			t.Errorf("held: %v", err)
		}
		p.faults.next(memdriver.OpLine, memdriver.Fault{Err: errStoreDown})
		err := h.Verify(t.Context())
		wantErr(t, err, holdgate.ErrUnavailable)
		if errors.Is(err, holdgate.ErrLost) {
			t.Errorf("an unreachable store proves nothing: %v", err)
		}
		wantHeld(t, h)
		store.RemovePlace("x", h.PlaceID())
		wantErr(t, h.Verify(t.Context()), holdgate.ErrLost)
		wantLost(t, h, holdgate.LostRemoved)

		h = p.mustLock(t, "x")
		mustRelease(t, h)
		wantErr(t, h.Verify(t.Context()), holdgate.ErrNotHeld)
	})
}

// A release that finds its place gone says why, though nobody had been told yet.
func TestReleaseOfWhatIsGone(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(store *memdriver.Store, p *proc, h *holdgate.Hold)
		want    holdgate.LostReason
	}{
		"the place was removed": {
			func(store *memdriver.Store, _ *proc, h *holdgate.Hold) { store.RemovePlace("x", h.PlaceID()) },
			holdgate.LostRemoved,
		},
		"the session was revoked": {
			func(store *memdriver.Store, _ *proc, _ *holdgate.Hold) { store.ExpireSession(store.Sessions()[0]) },
			holdgate.LostSession,
		},
		"the session expired while the release was sent": {
			func(_ *memdriver.Store, p *proc, _ *holdgate.Hold) {
				p.drv.SetLink(memdriver.LinkHangs)
				time.AfterFunc(ttl, func() { p.drv.SetLink(memdriver.LinkUp) })
			},
			holdgate.LostExpired,
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				h := p.mustLock(t, "x")
				opened := time.Now()
				tt.happens(store, p, h)
				err := h.Release(t.Context())
				var lost *holdgate.LostError
				if !errors.As(err, &lost) || !errors.Is(err, holdgate.ErrLost) {
					t.Fatalf("got %v; want a LostError", err)
				}
				if lost.Reason != tt.want || lost.Name != "x" {
					t.Errorf("lost %q, %q; want \"x\", %q", lost.Name, lost.Reason, tt.want)
				}
				if tt.want != holdgate.LostRemoved && !lost.LastRenewed.Equal(opened) {
					t.Errorf("last renewed at %v; want %v", lost.LastRenewed, opened)
				}
				wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
			})
		})
	}
}

// Any number of goroutines may use and release one hold; one release counts.
func TestHoldConcurrently(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		answers := make(chan error, 20)
		for range cap(answers) {
			go func() {
				_, _, _, _ = h.Token(), h.TrustedUntil(), h.Err(), h.Context()
				answers <- h.Release(t.Context())
			}()
		}
		done := 0
		for range cap(answers) {
			switch err := <-answers; {
			case err == nil:
				done++
			case !errors.Is(err, holdgate.ErrNotHeld):
				t.Errorf("release: %v", err)
			}
		}
		if done != 1 {
			t.Errorf("%d releases succeeded; want 1", done)
		}
		wantNothingLeft(t, store)
	})
}

// When a session ends its holds are told one after the other. Who asks in between is
// told the same: no hold is held any more once the first has been told.
func TestHoldsEndTogether(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		var holds []*holdgate.Hold
		asked := false
		p := startProc(t, store, &holdgate.Options{OnEvent: func(e holdgate.Event) {
			if e.Type != holdgate.EventLost || asked {
				return
			}
			asked = true
			for _, h := range holds {
				if err := h.Err(); !errors.Is(err, holdgate.ErrLost) || h.Token() != 0 {
					t.Errorf("the error of %q is %v", h.Name(), err)
				}
			}
			if err := holds[0].Release(t.Context()); !errors.Is(err, holdgate.ErrLost) {
				t.Errorf("release: %v", err)
			}
		}})
		for _, name := range []string{"a", "b", "c", "d"} {
			holds = append(holds, p.mustLock(t, name))
		}
		p.drv.SetLink(memdriver.LinkRefuses)
		pass(ttl)
		if !asked {
			t.Error("nobody was told")
		}
		for _, h := range holds {
			wantErr(t, h.Err(), holdgate.ErrLost, context.Cause(h.Context()))
		}
	})
}
