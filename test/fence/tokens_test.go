package fence_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
)

// show shows a pass in a transaction of its own, and commits when it is let in.
func (d *database) show(t *testing.T, f *sqlfence.Fences, p fence.Pass) error {
	t.Helper()
	tx, err := f.Begin(t.Context(), d.db, nil, p)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// wantStale checks a refusal, and what it says.
func wantStale(t *testing.T, err error, token, newest holdgate.Token) {
	t.Helper()
	stale, ok := errors.AsType[*fence.StaleError](err)
	if !ok || !errors.Is(err, fence.ErrStale) {
		t.Errorf("token %v after %v: got the error %v, want it refused", token, newest, err)
		return
	}
	if stale.Token != token || stale.Newest != newest || stale.Name == "" {
		t.Errorf("the refusal: got %+v, want token %v, newest %v", *stale, token, newest)
	}
}

func (d *database) testTokens(t *testing.T) {
	f := d.fences(t)
	const big = 1 << 53 // above it a floating-point number takes two tokens for one
	for _, token := range []holdgate.Token{1, 1, 9, 10, big - 1, big, big + 1, big + 1, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64} {
		if err := d.show(t, f, pass(token)); err != nil {
			t.Fatalf("token %v, the largest so far: %v", token, err)
		}
		if token > 1 {
			wantStale(t, d.show(t, f, pass(token-1)), token-1, token)
			wantStale(t, d.show(t, f, pass(1)), 1, token)
		}
	}
	for token, kind := range map[holdgate.Token]error{0: fence.ErrNoToken, math.MaxInt64 + 1: fence.ErrInvalidToken} {
		if err := d.show(t, f, pass(token)); !errors.Is(err, kind) {
			t.Errorf("token %v: got the error %v, want %v", token, err, kind)
		}
	}
}

// Names are told apart byte by byte, whatever the database thinks of texts.
func (d *database) testNames(t *testing.T) {
	f := d.fences(t)
	long := strings.Repeat("ü", 256)
	names := []string{"a", "A", "a ", " a", "á", "a\u0301", "ß", "ss", "a/b", "a%", "a_", `a'"\`, "\u0001", "日本", "🔒", long, long[:510]}
	for i, name := range names {
		if err := d.show(t, f, fence.Pass{Name: name, Token: holdgate.Token(len(names) - i)}); err != nil {
			t.Errorf("name %q: %v", name, err)
		}
	}
	for i, name := range names {
		token := holdgate.Token(len(names) - i)
		if err := d.show(t, f, fence.Pass{Name: name, Token: token}); err != nil {
			t.Errorf("name %q, its own token: %v", name, err)
		}
		if token > 1 {
			wantStale(t, d.show(t, f, fence.Pass{Name: name, Token: token - 1}), token-1, token)
		}
	}
	for _, name := range []string{"", long + "x", "a\x00b", "\xff"} {
		if err := d.show(t, f, fence.Pass{Name: name, Token: 1}); !errors.Is(err, holdgate.ErrInvalidName) {
			t.Errorf("name %q: got the error %v, want it refused", name, err)
		}
	}
}

func (d *database) testNoTransaction(t *testing.T) {
	f := d.fences(t)
	if err := f.Check(t.Context(), d.db, pass(1)); err == nil || !strings.Contains(err.Error(), "not a *sql.DB") {
		t.Errorf("a check outside a transaction: got the error %v, want it refused", err)
	}
	// On a connection where the caller has begun one by hand it works.
	conn, err := d.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, step := range []func() error{
		func() error { _, err := conn.ExecContext(t.Context(), "BEGIN"); return err },
		func() error { return f.Check(t.Context(), conn, pass(5)) },
		func() error { _, err := conn.ExecContext(t.Context(), "COMMIT"); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	wantStale(t, d.show(t, f, pass(4)), 4, 5)
}
