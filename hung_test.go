package holdgate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// lost are the two ways in which a call gets no answer: the store saw it, or not.
var lost = map[string]memdriver.Fault{
	"request": {Lose: memdriver.LoseRequest, Hang: true},
	"answer":  {Lose: memdriver.LoseAnswer, Hang: true},
}

// eachLoss runs a test with both.
func eachLoss(t *testing.T, f func(t *testing.T, fault memdriver.Fault)) {
	t.Parallel()
	for name, fault := range lost {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) { f(t, fault) })
		})
	}
}

// One call that gets no answer, while the session is renewed all the time, must not
// hold its caller up for ever: it is repeated within half a TTL.

func TestHungEnter(t *testing.T) {
	eachLoss(t, func(t *testing.T, fault memdriver.Fault) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.warm(t)
		p.faults.next(memdriver.OpEnter, fault)
		h := p.lockLater(t.Context(), "x").granted(t, ttl/2+time.Second)
		if n := len(placesOf(store, "x")); n != 1 {
			t.Errorf("%d places; want 1", n)
		}
		mustRelease(t, h)
		wantNothingLeft(t, store)
	})
}

func TestHungLeave(t *testing.T) {
	eachLoss(t, func(t *testing.T, fault memdriver.Fault) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		p.faults.next(memdriver.OpLeave, fault)
		released := releaseLater(t.Context(), h)
		pass(ttl/2 + time.Second)
		select {
		case err := <-released:
			if err != nil {
				t.Errorf("release: %v", err)
			}
		default:
			t.Error("Release has not returned")
		}
		wantNothingLeft(t, store)
	})
}

func TestHungSwap(t *testing.T) {
	eachLoss(t, func(t *testing.T, fault memdriver.Fault) {
		store := memdriver.NewStore()
		p := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
		h := p.mustLock(t, "x")
		next := p.lockLater(t.Context(), "x")
		next.pending(t)
		p.faults.next(memdriver.OpSwap, fault)
		mustRelease(t, h)
		mustRelease(t, next.granted(t, ttl/2+time.Second))
		wantNothingLeft(t, store)
	})
}

func TestHungEvict(t *testing.T) {
	eachLoss(t, func(t *testing.T, fault memdriver.Fault) {
		store := memdriver.NewStore()
		p, admin := startProc(t, store, nil), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		admin.faults.next(memdriver.OpEvict, fault)
		if err := admin.Evict(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Force: true}); err != nil {
			t.Fatal(err)
		}
		wantNothingLeft(t, store)
	})
}

// A wait for a grant is no call that hangs: it takes as long as it takes.
func TestLongWaitIsNotHung(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		h := other.mustLock(t, "x")
		w := p.lockLater(t.Context(), "x")
		pass(20 * ttl)
		w.pending(t)
		if n := p.faults.count(memdriver.OpWait); n != 1 {
			t.Errorf("it asked %d times; want once", n)
		}
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
	})
}

// An error that is no kind of failure to reach the store is told as it is.
func TestUnknownErrorOfStore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.faults.next(memdriver.OpEnter, memdriver.Fault{Err: driver.ErrConflict})
		_, err := p.Mutex("x").Lock(t.Context())
		wantErr(t, err, holdgate.ErrNotAcquired, driver.ErrConflict)
		if want := `not acquired: "x": version conflict`; err.Error() != want {
			t.Errorf("got %q; want %q", err, want)
		}
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// While nothing answers at all, every call ends by its context.
func TestS37_StoreNeverAnswers(t *testing.T) {
	t.Parallel()
	watch := func(ctx context.Context, p *proc) error {
		for _, err := range p.Watch(ctx, holdgate.Query{Prefix: true}) {
			if err != nil {
				return err
			}
		}
		return errors.New("the watch ended without an error")
	}
	for name, call := range map[string]func(ctx context.Context, p *proc, h *holdgate.Hold) error{
		"lock": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			_, err := p.Mutex("y").Lock(ctx)
			return err
		},
		"lock behind another of this process": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			_, err := p.Mutex("x").Lock(ctx)
			return err
		},
		"trylock": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			_, err := p.Mutex("y").TryLock(ctx)
			return err
		},
		"do": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			return p.Do(ctx, "y", func(context.Context, *holdgate.Hold) error { return nil })
		},
		"release": func(ctx context.Context, _ *proc, h *holdgate.Hold) error { return h.Release(ctx) },
		"verify":  func(ctx context.Context, _ *proc, h *holdgate.Hold) error { return h.Verify(ctx) },
		"line": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			_, err := p.Line(ctx, "x")
			return err
		},
		"lines": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			_, err := p.Lines(ctx, "")
			return err
		},
		"watch": func(ctx context.Context, p *proc, _ *holdgate.Hold) error { return watch(ctx, p) },
		"evict": func(ctx context.Context, p *proc, h *holdgate.Hold) error {
			return p.Evict(ctx, "x", h.PlaceID(), holdgate.Eviction{})
		},
		"close": func(ctx context.Context, p *proc, _ *holdgate.Hold) error {
			p.killed = true // and a second Close does nothing
			return p.Close(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				h := p.mustLock(t, "x")
				p.drv.SetLink(memdriver.LinkHangs)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				begun := time.Now()
				err := call(ctx, p, h)
				if took := time.Since(begun); took < time.Second || took > time.Second+50*time.Millisecond {
					t.Errorf("returned after %v; want the second that its context gave it", took)
				}
				wantErr(t, err, context.DeadlineExceeded)
			})
		})
	}
}
