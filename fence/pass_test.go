package fence_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/fence"
)

// holder is a hold that is as the test says.
type holder struct {
	token  holdgate.Token
	shared bool
	err    error
}

func (h holder) Name() string          { return "orders/42" }
func (h holder) Token() holdgate.Token { return h.token }
func (h holder) Exclusive() bool       { return !h.shared }
func (h holder) Err() error            { return h.err }

var _ fence.Holder = (*holdgate.Hold)(nil)

func TestOf(t *testing.T) {
	t.Parallel()
	lost := &holdgate.LostError{Name: "orders/42", Reason: holdgate.LostExpired}
	for name, tc := range map[string]struct {
		hold fence.Holder
		want error
	}{
		"an exclusive hold":        {holder{token: 7}, nil},
		"a shared hold":            {holder{token: 7, shared: true}, fence.ErrShared},
		"a store without tokens":   {holder{}, fence.ErrNoToken},
		"a hold that was lost":     {holder{token: 0, err: lost}, holdgate.ErrLost},
		"a hold that was released": {holder{token: 0, err: holdgate.ErrNotHeld}, holdgate.ErrNotHeld},
	} {
		p, err := fence.Of(tc.hold)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got the error %v, want %v", name, err, tc.want)
		}
		if tc.want == nil && p != pass(7) || tc.want != nil && p != (fence.Pass{}) {
			t.Errorf("%s: got the pass %+v", name, p)
		}
	}
}

func TestOfARealHold(t *testing.T) {
	t.Parallel()
	client, err := holdgate.New(memdriver.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.WithoutCancel(t.Context()))
	hold, err := client.Mutex("orders/42").Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := fence.Of(hold)
	if err != nil || p.Name != "orders/42" || p.Token != hold.Token() || p.Check() != nil {
		t.Errorf("got %+v, %v", p, err)
	}
	ctx := fence.WithHold(t.Context(), hold)
	if got, err := fence.FromContext(ctx); err != nil || got != p {
		t.Errorf("from the context: got %+v, %v", got, err)
	}
	if err := hold.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fence.FromContext(ctx); !errors.Is(err, holdgate.ErrNotHeld) {
		t.Errorf("after the release: got the error %v", err)
	}
}

// Real shared holds, and several names that are held together.
func TestOfOtherKinds(t *testing.T) {
	t.Parallel()
	client, err := holdgate.New(memdriver.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.WithoutCancel(t.Context()))
	read, err1 := client.RWMutex("read").RLock(t.Context())
	write, err2 := client.RWMutex("write").Lock(t.Context())
	some, err3 := client.Semaphore("some", 3).Acquire(t.Context(), 2)
	all, err4 := client.Semaphore("all", 3).Acquire(t.Context(), 3)
	several, err5 := client.LockAll(t.Context(), "a", "b")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	for _, shared := range []*holdgate.Hold{read, some} {
		if _, err := fence.Of(shared); !errors.Is(err, fence.ErrShared) {
			t.Errorf("%s: got the error %v, want %v", shared.Name(), err, fence.ErrShared)
		}
	}
	for _, alone := range []*holdgate.Hold{write, all} {
		if p, err := fence.Of(alone); err != nil || p.Token != alone.Token() {
			t.Errorf("%s: got %+v, %v", alone.Name(), p, err)
		}
	}
	if err := write.Downgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fence.Of(write); !errors.Is(err, fence.ErrShared) {
		t.Errorf("a writer that became a reader: got the error %v, want %v", err, fence.ErrShared)
	}
	for _, name := range several.Names() {
		if p, err := fence.OfName(several, name); err != nil || p != (fence.Pass{Name: name, Token: several.TokenFor(name)}) {
			t.Errorf("%s of two: got %+v, %v", name, p, err)
		}
	}
	if _, err := fence.OfName(several, "c"); !errors.Is(err, fence.ErrNoToken) {
		t.Errorf("a name that is not held: got the error %v", err)
	}
	if _, err := fence.OfName(read, "read"); !errors.Is(err, fence.ErrShared) {
		t.Errorf("a reader's name: got the error %v", err)
	}
}

func TestFromContext(t *testing.T) {
	t.Parallel()
	if _, err := fence.FromContext(t.Context()); !errors.Is(err, fence.ErrNoPass) {
		t.Errorf("without a pass: got the error %v", err)
	}
	if p, err := fence.FromContext(fence.WithPass(t.Context(), pass(7))); err != nil || p != pass(7) {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := fence.FromContext(fence.WithPass(t.Context(), fence.Pass{Name: "x"})); !errors.Is(err, fence.ErrNoToken) {
		t.Errorf("a pass without a token: got the error %v", err)
	}
}

func TestAgainst(t *testing.T) {
	t.Parallel()
	if err := errors.Join(pass(7).Against(0), pass(7).Against(7)); err != nil {
		t.Error(err)
	}
	wantStale(t, pass(7).Against(8), fence.StaleError{Name: "orders/42", Token: 7, Newest: 8})
	if err := pass(0).Against(0); !errors.Is(err, fence.ErrNoToken) {
		t.Errorf("a token of 0: got the error %v", err)
	}
}
