package memdriver_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// S42: of 10,000 waiters in one line a release wakes one, the next.
func TestReleaseWakesOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const waiters = 10_000
		s := open(t, memdriver.New(), time.Hour)
		must(t, s.Enter, claim("l", 0))
		woken := make(chan driver.Place, waiters)
		for n := range waiters {
			p := must(t, s.Enter, claim("l", n+1))
			go func() { woken <- must(t, s.Wait, p) }()
		}
		for n := range waiters {
			synctest.Wait()
			if len(woken) != 0 {
				t.Fatalf("%d woken before the %dth release", len(woken), n+1)
			}
			if err := s.Leave(t.Context(), "l", id(n)); err != nil {
				t.Fatal(err)
			}
			if p := <-woken; p.ID != id(n+1) || !p.Granted {
				t.Fatalf("release %d woke %s, granted: %v", n+1, p.ID, p.Granted)
			}
		}
	})
}

// Cancelled waiters leave in any order; a long line is found in by an index.
func TestLongLineLosesItsMiddle(t *testing.T) {
	t.Parallel()
	s := open(t, memdriver.New(), time.Hour)
	const n = 5_000
	for i := range n {
		must(t, s.Enter, claim("l", i))
	}
	for i := n - 2; i > 0; i -= 2 {
		leave(t, s, driver.Place{Line: "l", ID: id(i)})
	}
	for i := 1; i < n; i += 2 {
		leave(t, s, driver.Place{Line: "l", ID: id(i)})
	}
	if got := present(t, s); len(got) != 1 || got[0].ID != id(0) || !got[0].Granted {
		t.Errorf("got %v, want the first only", got)
	}
}

// S54: a big request is not starved by small ones behind it, and when it fits, they
// follow as far as they fit too.
func TestFirstThatDoesNotFitHoldsBackTheRest(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	s := open(t, d, time.Hour)
	for n, u := range []int64{3, 2, 1, 1} {
		must(t, s.Enter, units("gpu", n, 4, u))
	}
	wantGranted(t, d, "gpu", true, false, false, false)
	p := must(t, d.Line, "gpu").Places[0]
	p.Units = 2
	must(t, s.Update, p)
	wantGranted(t, d, "gpu", true, true, false, false)
	leave(t, s, p)
	wantGranted(t, d, "gpu", true, true, true)
}

func wantGranted(t *testing.T, d *memdriver.Driver, line string, want ...bool) {
	t.Helper()
	l := must(t, d.Line, line)
	if len(l.Places) != len(want) {
		t.Fatalf("got %d places, want %d", len(l.Places), len(want))
	}
	for i, p := range l.Places {
		if p.Granted != want[i] {
			t.Errorf("place %d is granted: %v, want %v", i, p.Granted, want[i])
		}
	}
}

func present(t *testing.T, s driver.Session) []driver.Place {
	t.Helper()
	places, err := s.Present(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return places
}

// A TryAll is granted at once or not at all, also when one of its places stands
// already and waits.
func TestTryAllOfAWaitingPlace(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	s := open(t, d, time.Hour)
	must(t, s.Enter, claim("a", 1))
	must(t, s.Enter, claim("a", 2))
	_, err := s.(driver.AllTrier).TryAll(t.Context(), []driver.Claim{claim("b", 3), claim("a", 2)})
	var busy *driver.BusyError
	if !errors.As(err, &busy) || busy.Head.ID != id(1) || busy.Ahead != 2 {
		t.Errorf("got %v, want busy by the head of a", err)
	}
	if got := len(must(t, d.Line, "b").Places); got != 0 {
		t.Error("half of it stands")
	}
}
