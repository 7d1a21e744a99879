package fence_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

func pass(token holdgate.Token) fence.Pass { return fence.Pass{Name: "orders/42", Token: token} }

func newGate(t *testing.T, o *fence.GateOptions) *fence.Gate {
	t.Helper()
	g, err := fence.NewGate(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// wantStale checks a refusal, and what it says.
func wantStale(t *testing.T, err error, want fence.StaleError) {
	t.Helper()
	stale, ok := errors.AsType[*fence.StaleError](err)
	if !ok || !errors.Is(err, fence.ErrStale) {
		t.Errorf("token %v of %q: got the error %v, want it refused", want.Token, want.Name, err)
		return
	}
	if *stale != want {
		t.Errorf("the refusal: got %+v, want %+v", *stale, want)
	}
}

func TestTokensNeverGoDown(t *testing.T) {
	t.Parallel()
	var g fence.Gate
	for _, token := range []holdgate.Token{1, 1, 9, 10, 1 << 53, 1<<53 + 1, 1<<53 + 1, math.MaxInt64} {
		if err := g.Check(pass(token)); err != nil {
			t.Fatalf("token %v, the largest so far: %v", token, err)
		}
		if token > 1 {
			wantStale(t, g.Check(pass(token-1)), fence.StaleError{Name: "orders/42", Token: token - 1, Newest: token})
		}
		if got := g.Newest("orders/42"); got != token {
			t.Errorf("the newest: got %v, want %v", got, token)
		}
	}
	if err := g.Check(fence.Pass{Name: "orders/43", Token: 1}); err != nil {
		t.Errorf("another name: %v", err)
	}
	if got := g.Newest("never seen"); got != 0 {
		t.Errorf("the newest of a name that was never shown: got %v", got)
	}
}

func TestBadPassesChangeNothing(t *testing.T) {
	t.Parallel()
	var g fence.Gate
	for name, tc := range map[string]struct {
		pass fence.Pass
		want error
	}{
		"no token":    {pass(0), fence.ErrNoToken},
		"too large":   {pass(math.MaxInt64 + 1), fence.ErrInvalidToken},
		"no name":     {fence.Pass{Token: 1}, holdgate.ErrInvalidName},
		"a bad name":  {fence.Pass{Name: "a\x00", Token: 1}, holdgate.ErrInvalidName},
		"not in UTF8": {fence.Pass{Name: "\xff", Token: 1}, holdgate.ErrInvalidName},
	} {
		if err := g.Check(tc.pass); !errors.Is(err, tc.want) {
			t.Errorf("%s: got the error %v, want %v", name, err, tc.want)
		}
		if got := g.Newest(tc.pass.Name); got != 0 {
			t.Errorf("%s: it was remembered: %v", name, got)
		}
	}
}

func TestGateOptions(t *testing.T) {
	t.Parallel()
	for _, names := range []int{-1, 1} {
		if _, err := fence.NewGate(&fence.GateOptions{Names: names}); err == nil {
			t.Errorf("Names %d is accepted", names)
		}
	}
	var refused []fence.StaleError
	g := newGate(t, &fence.GateOptions{OnRefuse: func(e *fence.StaleError) { refused = append(refused, *e) }})
	_ = g.Check(pass(5))
	_ = g.Check(pass(4))
	_ = g.Check(pass(0))
	if len(refused) != 1 || refused[0].Token != 4 || refused[0].Newest != 5 {
		t.Errorf("told of %+v, want the one stale token", refused)
	}
}

// A gate with a bound forgets names. Nobody older gets in by that.
func TestWhatIsForgottenLetsNobodyIn(t *testing.T) {
	t.Parallel()
	const names, bound = 1000, 10
	g := newGate(t, &fence.GateOptions{Names: bound})
	name := func(i int) string { return fmt.Sprintf("orders/%d", i) }
	for i := 1; i <= names; i++ {
		token := holdgate.Token(100 * i)
		if err := g.Check(fence.Pass{Name: name(i), Token: token}); err != nil {
			t.Fatalf("a new name with the largest token so far: %v", err)
		}
		if err := g.Check(fence.Pass{Name: "busy", Token: 1}); i == 1 && err != nil || i > 1 && err != nil {
			t.Fatalf("a name that is shown all the time, after %d others: %v", i, err)
		}
	}
	known := 0
	for i := 1; i <= names; i++ {
		if g.Newest(name(i)) != 0 {
			known++
		}
		err := g.Check(fence.Pass{Name: name(i), Token: holdgate.Token(100*i - 1)})
		if !errors.Is(err, fence.ErrStale) {
			t.Fatalf("an older token of name %d: got the error %v", i, err)
		}
	}
	if known > bound {
		t.Errorf("%d names are remembered, want at most %d", known, bound)
	}
	stale, _ := errors.AsType[*fence.StaleError](g.Check(fence.Pass{Name: name(1), Token: 100}))
	if stale == nil || !stale.Forgotten || stale.Newest <= 100 {
		t.Errorf("a name that was forgotten, with its own token: got %+v, want it refused as forgotten", stale)
	}
	if err := g.Check(fence.Pass{Name: name(1), Token: 100 * names}); err != nil {
		t.Errorf("a name that was forgotten, with a new token: %v", err)
	}
}

// Holders of all tokens come at once: each is let in or refused, and the last is the largest.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var g fence.Gate
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for token := holdgate.Token(1 + i); token <= 800; token += 8 {
				before := g.Newest("orders/42")
				err := g.Check(pass(token))
				if err != nil && !errors.Is(err, fence.ErrStale) || err == nil && token < before {
					t.Errorf("token %v after %v: %v", token, before, err)
				}
			}
		})
	}
	wg.Wait()
	if got := g.Newest("orders/42"); got != 800 {
		t.Errorf("the newest: got %v, want 800", got)
	}
}
