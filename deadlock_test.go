package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Who holds a name cannot lock it again with a context that comes from the hold,
// however many others are between the two.
func TestDeadlock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		outer := p.mustLock(t, "x")
		ctx, cancel := context.WithTimeout(context.WithValue(outer.Context(), colour{}, "red"), time.Hour)
		defer cancel()
		inner, err := p.Mutex("y").Lock(ctx)
		if err != nil {
			t.Fatal(err)
		}
		innermost, err := p.Mutex("z").Lock(inner.Context())
		if err != nil {
			t.Fatal(err)
		}
		deep := innermost.Context()
		before := p.faults.total()
		for _, name := range []string{"x", "y", "z"} {
			_, err := p.Mutex(name).Lock(deep)
			wantErr(t, err, holdgate.ErrDeadlock)
			_, err = p.Mutex(name).TryLock(deep)
			wantErr(t, err, holdgate.ErrDeadlock)
			wantErr(t, p.Do(deep, name, nil), holdgate.ErrDeadlock)
		}
		if n := p.faults.total() - before; n != 0 {
			t.Errorf("refusing cost %d calls", n)
		}
		// The hold of x was taken without any other.
		_, err = p.Mutex("y").TryLock(outer.Context())
		wantErr(t, err, holdgate.ErrBusy)
	})
}

// What is no deadlock: the hold has ended, or it is another client's.
func TestNoDeadlock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		outer := p.mustLock(t, "x")
		inner, err := p.Mutex("y").Lock(outer.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.WithoutCancel(inner.Context())
		mustRelease(t, outer)
		again, err := p.Mutex("x").Lock(ctx)
		if err != nil {
			t.Fatalf("released before: %v", err)
		}
		_, err = p.Mutex("y").TryLock(ctx)
		wantErr(t, err, holdgate.ErrDeadlock)
		mustRelease(t, again)
		h, err := other.Mutex("x").Lock(ctx)
		if err != nil {
			t.Fatalf("another client: %v", err)
		}
		_, err = other.Mutex("y").TryLock(ctx)
		wantErr(t, err, holdgate.ErrBusy)
		mustRelease(t, h)
	})
}
