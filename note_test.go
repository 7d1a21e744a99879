package holdgate_test

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// A hold that lasts over a second is shown with its token and since when; a short one
// pays nothing for that.
func TestNote(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, &holdgate.Options{Owner: "me", Reason: "nightly run"})
		mustRelease(t, p.mustLock(t, "x"))
		pass(2 * time.Second)
		if n := p.faults.count(memdriver.OpUpdate); n != 0 {
			t.Errorf("a short hold cost %d updates", n)
		}
		since := time.Now()
		h := p.mustLock(t, "x")
		if got := lineOf(t, p, "x").Places[0]; !got.Since.IsZero() || got.Reason != "nightly run" || got.Token != h.Token() {
			t.Errorf("at first it is shown as %+v", got)
		}
		pass(2 * time.Second)
		got := lineOf(t, p, "x").Places[0]
		want := holdgate.Place{
			ID: h.PlaceID(), Session: store.Sessions()[0], Owner: "me", TTL: ttl,
			Kind: driver.KindMutex, Units: 1, Capacity: 1, Granted: true,
			Token: h.Token(), Since: got.Since, Reason: "nightly run",
		}
		if got != want || !got.Since.Equal(since) {
			t.Errorf("got  %+v\nwant %+v since %v", got, want, since)
		}
		pass(time.Minute)
		if n := p.faults.count(memdriver.OpUpdate); n != 1 {
			t.Errorf("a long hold cost %d updates; want 1", n)
		}
		wantHeld(t, h)
	})
}

// Holds that begin one after the other are each noted, though one pass serves many.
func TestNoteOfMany(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		begun := make(map[string]time.Time)
		for i := range 20 {
			name := string(rune('a' + i))
			begun[name] = time.Now()
			p.mustLock(t, name)
			pass(130 * time.Millisecond)
		}
		pass(2 * time.Second)
		for name, at := range begun {
			if got := lineOf(t, p, name).Places[0].Since; !got.Equal(at) {
				t.Errorf("%s is held since %v; want %v", name, got, at)
			}
		}
	})
}

// A note that fails harms nothing: not the hold, nor who comes after.
func TestNoteFails(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"conflict":     {Err: driver.ErrConflict},
		"unavailable":  {Err: errStoreDown},
		"answer lost":  {Lose: memdriver.LoseAnswer},
		"never":        {Lose: memdriver.LoseRequest, Hang: true},
		"much delayed": {Delay: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p, other := startProc(t, store, nil), startProc(t, store, nil)
				p.faults.next(memdriver.OpUpdate, fault)
				h := p.mustLock(t, "x")
				pass(20 * time.Second)
				wantHeld(t, h)
				mustRelease(t, h)
				next := other.mustLock(t, "x")
				pass(2 * time.Minute)
				wantHeld(t, next)
				if n := len(placesOf(store, "x")); n != 1 {
					t.Errorf("%d places; want 1", n)
				}
			})
		})
	}
}

// A hold that begins while others are being recorded is recorded too.
func TestNoteBegunWhileNoting(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.faults.next(memdriver.OpUpdate, memdriver.Fault{Delay: time.Second})
		p.mustLock(t, "a")
		pass(1500 * time.Millisecond) // its note is under way
		begun := time.Now()
		p.mustLock(t, "b")
		pass(5 * time.Second)
		if got := lineOf(t, p, "b").Places[0].Since; !got.Equal(begun) {
			t.Errorf("held since %v; want %v", got, begun)
		}
	})
}
