package holdgate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// names are such as a store could confuse.
var names = []string{
	"a", "a/b", "a%2Fb", "a%2fb", "a b", "a+b", "a/", "/a", "//", ".", "..", "../a", "A", "á", "a\u0301",
	"锁", "🔒", "\u0001", "\ue000", "\u0085", "\n", "a\tb", "*", "a:b", "{a}", strings.Repeat("x", 512), strings.Repeat("锁", 170) + "xx",
}

// Unlike names are unrelated, and come back exactly as they were given.
func TestS45_Names(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		holds := make(map[string]*holdgate.Hold)
		for _, name := range names {
			if got := p.Mutex(name).Name(); got != name {
				t.Errorf("the mutex %q is called %q", name, got)
			}
			holds[name] = p.lockLater(t.Context(), name).granted(t, 0)
		}
		for _, name := range names {
			if got := holds[name].Name(); got != name {
				t.Errorf("the hold of %q is called %q", name, got)
			}
			line := lineOf(t, other, name)
			if line.Name != name || len(line.Places) != 1 || line.Places[0].ID != holds[name].PlaceID() {
				t.Errorf("the line of %q: %+v", name, line)
			}
			_, err := other.Mutex(name).TryLock(t.Context())
			wantErr(t, err, holdgate.ErrBusy)
		}
		lines, err := other.Lines(t.Context(), "")
		if err != nil || len(lines) != len(names) {
			t.Errorf("%d lines, %v; want %d", len(lines), err, len(names))
		}
		for _, l := range lines {
			if holds[l.Name] == nil {
				t.Errorf("a line %q that nobody made", l.Name)
			}
		}
		mustRelease(t, holds["a"])
		wantHeld(t, holds["a/b"])
		mustRelease(t, other.lockLater(t.Context(), "a").granted(t, 0))
	})
}

// Bad names get an error that says what is wrong and what is allowed, and change
// nothing: not even a session is opened. (Bad options: TestOptionsRefused.)
func TestS46_BadNames(t *testing.T) {
	for name, want := range map[string]string{
		"":                       "a name has 1 to 512 bytes, this one is empty",
		"a\x00b":                 `a name has no NUL, "a\x00b" has`,
		"\xff":                   `a name is UTF-8, "\xff" is not`,
		strings.Repeat("x", 513): "a name has 1 to 512 bytes, this one has 513",
	} {
		t.Run(want, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				_, lockErr := p.Mutex(name).Lock(t.Context())
				_, tryErr := p.Mutex(name).TryLock(t.Context())
				_, lineErr := p.Line(t.Context(), name)
				for call, err := range map[string]error{
					"Lock": lockErr, "TryLock": tryErr, "Line": lineErr,
					"Do":    p.Do(t.Context(), name, func(context.Context, *holdgate.Hold) error { return nil }),
					"Evict": p.Evict(t.Context(), name, strings.Repeat("0", 32), holdgate.Eviction{}),
				} {
					wantErr(t, err, holdgate.ErrInvalidName)
					if !strings.HasSuffix(err.Error(), want) {
						t.Errorf("%s: got %q; want %q at its end", call, err, want)
					}
				}
				if n := p.faults.total(); n != 0 || len(store.Sessions()) != 0 {
					t.Errorf("%d calls, %d sessions; want none", n, len(store.Sessions()))
				}
				if n := p.LocalLines(); n != 0 {
					t.Errorf("%d local lines left", n)
				}
			})
		})
	}
}

// Two programs use one name with different kinds or capacities: ErrMismatch on the
// later one, the earlier is untouched, and so are those who wait.
func TestS47_Mismatch(t *testing.T) {
	for name, tt := range map[string]struct {
		kind     driver.Kind
		capacity int64
	}{
		"another kind":     {driver.KindRW, 1},
		"another capacity": {driver.KindMutex, 2},
		"both":             {driver.KindSemaphore, 4},
		"presence":         {driver.KindPresence, 1},
	} {
		for mode, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
			t.Run(name+", "+mode, func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					store := memdriver.NewStore()
					p := startProc(t, store, opts)
					enterAs(t, store, "x", tt.kind, tt.capacity)
					before := placesOf(store, "x")
					for _, take := range []func(context.Context, string) *attempt{p.lockLater, p.tryLater} {
						err := take(t.Context(), "x").refused(t, 0, holdgate.ErrMismatch, holdgate.ErrNotAcquired)
						if errors.Is(err, holdgate.ErrBusy) {
							t.Errorf("%v matches ErrBusy", err)
						}
					}
					after := placesOf(store, "x")
					if len(after) != 1 || after[0].ID != before[0].ID || after[0].Version != before[0].Version {
						t.Errorf("the line was %+v and is %+v", before, after)
					}
					if n := p.OwnPlaces(); n > 0 {
						t.Errorf("%d places are still known", n)
					}
				})
			})
		}
	}
}

// A key of other software stands where the line is: shown as a foreign holder, waited
// for, and never deleted.
func TestS48_ForeignKey(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		if err := store.PutForeign("x", "somebody's key"); err != nil {
			t.Fatal(err)
		}
		line := lineOf(t, p, "x")
		if len(line.Places) != 1 || !line.Places[0].Foreign || line.Places[0].ID != "somebody's key" {
			t.Errorf("shown as %+v", line.Places)
		}
		_, err := p.Mutex("x").TryLock(t.Context())
		var busy *holdgate.BusyError
		if !errors.As(err, &busy) || !busy.Holder.Foreign {
			t.Errorf("got %v; want that something foreign holds it", err)
		}
		if want := `"x" is busy: held by other software, 1 in line`; err.Error() != want {
			t.Errorf("got %q; want %q", err, want)
		}
		wantErr(t, p.Evict(t.Context(), "x", "somebody's key", holdgate.Eviction{}), holdgate.ErrUnsupported)
		w := p.lockLater(t.Context(), "x")
		pass(10 * ttl)
		w.pending(t)
		if n := len(placesOf(store, "x")); n != 2 {
			t.Errorf("%d places; want the foreign one and the waiter's", n)
		}
		store.RemovePlace("x", "somebody's key")
		h := w.granted(t, 0)

		// One that appears behind a holder changes nothing for it.
		if err := store.PutForeign("x", "late"); err != nil {
			t.Fatal(err)
		}
		pass(2 * ttl)
		wantHeld(t, h)
		mustRelease(t, h)
		if places := placesOf(store, "x"); len(places) != 1 || places[0].ID != "late" {
			t.Errorf("left: %+v; want the foreign one", places)
		}
	})
}
