package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// mustNest locks again what ctx belongs to a hold of.
func (p *proc) mustNest(ctx context.Context, t testing.TB) *holdgate.Hold {
	t.Helper()
	h, err := p.Reentrant("x").Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The lock is released when it was released as often as it was taken, in any order.
func TestReentrant(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, opts), startProc(t, store, nil)
				one := a.mustNest(t.Context(), t)
				asked := a.faults.total()
				two := a.mustNest(one.Context(), t)
				three := a.mustNest(two.Context(), t)
				if n := a.faults.total() - asked; n > 0 {
					t.Errorf("the store was asked %d times", n)
				}
				if two.Token() != one.Token() || three.Token() != one.Token() || one.Token() == 0 {
					t.Errorf("tokens %v %v %v", one.Token(), two.Token(), three.Token())
				}
				other := b.lockLater(t.Context(), "x")
				other.pending(t)
				own := a.lockLater(t.Context(), "x")
				mustRelease(t, one) // the outermost first
				wantErr(t, one.Release(t.Context()), holdgate.ErrNotHeld)
				pass(3 * ttl)
				wantHeld(t, two)
				wantHeld(t, three)
				mustRelease(t, three)
				other.pending(t)
				own.pending(t)
				four := a.mustNest(two.Context(), t)
				mustRelease(t, two)
				other.pending(t)
				mustRelease(t, four)
				mustRelease(t, other.granted(t, time.Second))
				mustRelease(t, own.granted(t, time.Second))
				wantNothingLeft(t, store)
				if n := a.LocalLines(); n > 0 {
					t.Errorf("%d local lines are left", n)
				}
			})
		})
	}
}

// It nests in any hold of the name: in Do, in one of several that are held together.
func TestReentrantInOthers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		var inner *holdgate.Hold
		err := a.Do(t.Context(), "x", func(ctx context.Context, _ *holdgate.Hold) error {
			inner = a.mustNest(ctx, t)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		b.tryLater(t.Context(), "x").refused(t, 0, holdgate.ErrBusy)
		mustRelease(t, inner)

		all := a.lockAllLater(t.Context(), "w", "x").granted(t, 0)
		inner = a.mustNest(all.Context(), t)
		if inner.Token() != all.TokenFor("x") {
			t.Errorf("token %v, not %v", inner.Token(), all.TokenFor("x"))
		}
		mustRelease(t, all)
		b.tryLater(t.Context(), "x").refused(t, 0, holdgate.ErrBusy)
		mustRelease(t, b.tryLater(t.Context(), "w").granted(t, 0))
		mustRelease(t, inner)
		wantNothingLeft(t, store)
	})
}

// A loss ends all, whoever of them is released already, and is told once.
func TestReentrantLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		one := p.mustNest(t.Context(), t)
		two := p.mustNest(one.Context(), t)
		three := p.mustNest(two.Context(), t)
		mustRelease(t, one)
		store.RemovePlace("x", two.PlaceID())
		pass(ttl)
		wantLost(t, two, holdgate.LostRemoved)
		wantLost(t, three, holdgate.LostRemoved)
		if n := len(p.events.of(holdgate.EventLost)); n != 1 {
			t.Errorf("told of %d losses", n)
		}
		wantErr(t, two.Release(t.Context()), holdgate.ErrLost)
		wantErr(t, three.Release(t.Context()), holdgate.ErrLost)
		// The context belongs to nothing any more: it waits for the lock.
		mustRelease(t, p.mustNest(context.WithoutCancel(three.Context()), t))
		wantNothingLeft(t, store)
		if n := p.LocalLines(); n > 0 {
			t.Errorf("%d local lines are left", n)
		}
	})
}

// With any other context it is the mutex, also for who holds it.
func TestReentrantByContextOnly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustNest(t.Context(), t)
		_, err := p.Reentrant("x").TryLock(t.Context())
		wantErr(t, err, holdgate.ErrBusy)
		nested, err := p.Reentrant("x").TryLock(h.Context())
		if err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(h.Context())
		cancel()
		_, err = p.Reentrant("x").Lock(ended)
		wantErr(t, err, holdgate.ErrNotAcquired, context.Canceled)
		p.lockLater(nested.Context(), "x").refused(t, 0, holdgate.ErrDeadlock) // the mutex is not
		mustRelease(t, nested)
		mustRelease(t, h)
		_, err = p.Reentrant("").Lock(t.Context())
		wantErr(t, err, holdgate.ErrInvalidName)
	})
}
