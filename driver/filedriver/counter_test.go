//go:build unix

package filedriver

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newCounter(t *testing.T) *stripe {
	t.Helper()
	s := newStripe(filepath.Join(t.TempDir(), "00"), &disk{mode: 0o700, uid: -1})
	if err := s.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.unlock(); s.close() })
	return s
}

func (s *stripe) mustNext(t *testing.T, seen uint64) uint64 {
	t.Helper()
	order, err := s.nextOrder(seen)
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// TestOrdersGrow, whatever the clock says.
func TestOrdersGrow(t *testing.T) {
	t.Parallel()
	s := newCounter(t)
	first := s.mustNext(t, 0)
	if now := uint64(time.Now().UnixMicro()); first > now || first < now-10e6 {
		t.Errorf("the first order is %d, want about %d", first, now)
	}
	ahead := first + uint64(time.Hour.Microseconds())
	if got := s.mustNext(t, ahead); got != ahead+1 {
		t.Errorf("after %d was seen: %d", ahead, got)
	}
	for want := ahead + 2; want < ahead+10; want++ { // the clock is an hour behind now
		if got := s.mustNext(t, 0); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// TestTornCounter cuts every write of a number off at every byte: the one before it
// counts, and it is never given again.
func TestTornCounter(t *testing.T) {
	t.Parallel()
	s := newCounter(t)
	ahead := uint64(time.Now().Add(time.Hour).UnixMicro())
	for range 2 { // each of the slots
		last := s.mustNext(t, ahead)
		before, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		s.mustNext(t, 0)
		after, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		for cut := range after {
			torn := append(append([]byte(nil), after[:cut]...), before[min(cut, len(before)):]...)
			if err := os.WriteFile(s.path, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := s.mustNext(t, 0); got != last+1 && got != last+2 {
				t.Fatalf("cut off at byte %d of %q: %d after %d", cut, after, got, last)
			}
		}
		ahead = s.mustNext(t, 0)
	}
}

func TestCounterUsedUp(t *testing.T) {
	t.Parallel()
	s := newCounter(t)
	if order, err := s.nextOrder(maxOrder); err == nil {
		t.Errorf("order %d after the last one", order)
	}
}

func FuzzParseSlot(f *testing.F) {
	some := slot(1796034926296630)
	f.Add(some[:])
	f.Add([]byte("00000000000000000000 00000000\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		order, ok := parseSlot(b)
		if ok && slot(order) != [slotLen]byte(b) {
			t.Fatalf("%q is read as %d", b, order)
		}
	})
}
