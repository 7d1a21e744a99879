package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// text shows lines as "name: owner owner", with a star for those that hold.
func text(lines []holdgate.Line) string {
	var shown []string
	for _, l := range lines {
		s := l.Name + ":"
		for _, p := range l.Places {
			s += " " + p.Owner
			if p.Granted {
				s += "*"
			}
		}
		shown = append(shown, s)
	}
	return strings.Join(shown, ", ")
}

func TestLineAndLines(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, &holdgate.Options{Owner: "a"}), startProc(t, store, &holdgate.Options{Owner: "b"})
		a.mustLock(t, "orders/1")
		b.lockLater(t.Context(), "orders/1").pending(t)
		b.mustLock(t, "orders/2")
		a.mustLock(t, "stock")
		for prefix, want := range map[string]string{
			"":         "orders/1: a* b, orders/2: b*, stock: a*",
			"orders/":  "orders/1: a* b, orders/2: b*",
			"orders/2": "orders/2: b*",
			"x":        "",
		} {
			lines, err := b.Lines(t.Context(), prefix)
			if err != nil || text(lines) != want {
				t.Errorf("%q: got %q, %v; want %q", prefix, text(lines), err, want)
			}
		}
		if got := text([]holdgate.Line{lineOf(t, b, "orders/1")}); got != "orders/1: a* b" {
			t.Errorf("got %q", got)
		}
		if l := lineOf(t, b, "nobody"); l.Name != "nobody" || l.Places == nil || len(l.Places) != 0 {
			t.Errorf("a line that nobody stands in: %+v", l)
		}
		b.Close(t.Context())
	})
}

// The end of the caller's context is no failure of the store.
func TestObserveUntilCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var ended error
		for _, err := range p.Watch(ctx, holdgate.Query{Prefix: true}) {
			ended = err
			cancel()
		}
		_, unread := p.Line(ctx, "x")
		for _, err := range []error{ended, unread} {
			if !errors.Is(err, context.Canceled) || errors.Is(err, holdgate.ErrUnavailable) {
				t.Errorf("got %v; want context.Canceled alone", err)
			}
		}
	})
}

func TestObserveErrors(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		_, err := p.Line(t.Context(), "")
		wantErr(t, err, holdgate.ErrInvalidName)
		_, err = p.Lines(t.Context(), "\xff")
		wantErr(t, err, holdgate.ErrInvalidName)
		for _, err := range p.Watch(t.Context(), holdgate.Query{}) {
			wantErr(t, err, holdgate.ErrInvalidName)
		}
		p.faults.always("", memdriver.Fault{Err: errStoreDown})
		_, err = p.Line(t.Context(), "x")
		wantErr(t, err, holdgate.ErrUnavailable)
		_, err = p.Lines(t.Context(), "x")
		wantErr(t, err, holdgate.ErrUnavailable)
		n := 0
		for s, err := range p.Watch(t.Context(), holdgate.Query{Name: "x"}) {
			n++
			wantErr(t, err, holdgate.ErrUnavailable)
			if s.Full || len(s.Lines) > 0 {
				t.Errorf("a snapshot beside the error: %+v", s)
			}
		}
		if n != 1 {
			t.Errorf("the watch yielded %d times; want the error, once", n)
		}
	})
}

// A watch yields everything first, then each line that changed, whole.
func TestWatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, watcher := startProc(t, store, &holdgate.Options{Owner: "p"}), startProc(t, store, nil)
		p.mustLock(t, "a")
		ctx, cancel := context.WithCancel(t.Context())
		seen := make(chan string, 100)
		ended := make(chan error, 1)
		go func() { // ends with ctx
			for s, err := range watcher.Watch(ctx, holdgate.Query{Prefix: true}) {
				if err != nil {
					ended <- err
					return
				}
				seen <- fmt.Sprintf("%v %s", s.Full, text(s.Lines))
			}
		}()
		want := func(text string) {
			t.Helper()
			pass(0)
			select {
			case got := <-seen:
				if got != text {
					t.Errorf("saw %q; want %q", got, text)
				}
			default:
				t.Errorf("saw nothing; want %q", text)
			}
		}
		want("true a: p*")
		h := p.mustLock(t, "b")
		want("false b: p*")
		mustRelease(t, h)
		want("false b:")
		pass(time.Minute)
		for len(seen) > 0 {
			<-seen // the note of since when "a" is held
		}
		cancel()
		wantErr(t, <-ended, context.Canceled)
	})
}

// A caller may stop watching when it has seen enough.
func TestWatchStops(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		n := 0
		for _, err := range p.Watch(t.Context(), holdgate.Query{Name: "x"}) {
			if err != nil {
				t.Error(err)
			}
			n++
			break
		}
		if n != 1 {
			t.Errorf("yielded %d times; want 1", n)
		}
	})
}
