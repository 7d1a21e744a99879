package holdgate_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// The ghost of an Enter whose retry succeeded, and was released long ago: it appears
// when nobody thinks of it any more, and is removed within a TTL.
func TestReconcileGhost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		p.warm(t)
		begun := time.Now()
		p.faults.next(memdriver.OpEnter, memdriver.Fault{Delay: 20 * time.Second, Stray: true})
		mustRelease(t, p.lockLater(t.Context(), "x").granted(t, ttl))
		if took := time.Since(begun); took > ttl/2+time.Second {
			t.Errorf("locking took %v", took)
		}
		wantNothingLeft(t, store)
		time.Sleep(20*time.Second - time.Since(begun))
		pass(0)
		places := placesOf(store, "x")
		if len(places) != 1 {
			t.Fatal("there is no ghost: this run shows nothing")
		}
		w := other.lockLater(t.Context(), "x")
		mustRelease(t, w.granted(t, ttl))
		strays := p.events.of(holdgate.EventStray)
		if len(strays) != 1 || strays[0].Name != "x" || strays[0].PlaceID != places[0].ID {
			t.Errorf("told of strays: %+v", strays)
		}
		wantNothingLeft(t, store)
	})
}

// After a lost answer it is looked at once, not a TTL later: what was given up is left.
func TestReconcileAfterLostAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.warm(t)
		before := p.faults.count(memdriver.OpPresent)
		p.faults.next(memdriver.OpEnter, memdriver.Fault{Lose: memdriver.LoseAnswer})
		h := p.mustLock(t, "x")
		pass(0)
		if n := p.faults.count(memdriver.OpPresent) - before; n != 1 {
			t.Errorf("asked %d times; want 1", n)
		}
		wantHeld(t, h)
	})
}

// Without doubt it is looked once per TTL.
func TestReconcileOncePerTTL(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		h := p.mustLock(t, "x")
		pass(10*ttl + time.Second)
		if n := p.faults.count(memdriver.OpPresent); n != 10 {
			t.Errorf("asked %d times in 10 TTLs; want 10", n)
		}
		wantHeld(t, h)
	})
}

// A question that gets no answer is asked again, soon.
func TestReconcileRetries(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		for range 3 {
			p.faults.next(memdriver.OpPresent, memdriver.Fault{Err: errStoreDown})
		}
		p.faults.next(memdriver.OpLine, memdriver.Fault{Err: errStoreDown})
		pass(2 * time.Second) // long enough that nothing but renewals is sent
		store.RemovePlace("x", h.PlaceID())
		pass(ttl - 3*time.Second)
		wantHeld(t, h)
		pass(time.Second + 5*ttl/16)
		wantLost(t, h, holdgate.LostRemoved)
	})
}

// lagging is a driver whose sessions list their places as they were when they were
// asked the time before.
type lagging struct{ *memdriver.Driver }

type laggingSession struct {
	driver.Session

	mu   sync.Mutex
	last []driver.Place
}

func (d lagging) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	s, err := d.Driver.Open(ctx, o)
	return &laggingSession{Session: s}, err
}

func (s *laggingSession) Present(ctx context.Context) ([]driver.Place, error) {
	now, err := s.Session.Present(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.last
	s.last = now
	return before, nil
}

// A list that lags never ends a hold that lives, and what it lists that is gone is no
// stray.
func TestReconcileWithListThatLags(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
		p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
		p.open(t, lagging{p.drv}, nil)
		long := p.mustLock(t, "long")
		for i := range 5 {
			h := p.mustLock(t, string(rune('a'+i)))
			pass(ttl / 2)
			mustRelease(t, h)
			h = p.mustLock(t, "x")
			pass(ttl)
			wantHeld(t, h)
			mustRelease(t, h)
		}
		wantHeld(t, long)
		if strays := p.events.of(holdgate.EventStray); len(strays) > 0 {
			t.Errorf("told of strays: %+v", strays)
		}
		// What is gone is found all the same.
		store.RemovePlace("long", long.PlaceID())
		pass(2 * ttl)
		wantLost(t, long, holdgate.LostRemoved)
	})
}

// A place that is entered, released or swapped while the store is asked is judged by
// what is true afterwards.
func TestReconcileMeanwhile(t *testing.T) {
	for name, meanwhile := range map[string]func(t *testing.T, p *proc, h *holdgate.Hold) *holdgate.Hold{
		"entered": func(t *testing.T, p *proc, h *holdgate.Hold) *holdgate.Hold {
			p.mustLock(t, "y")
			return h
		},
		"released": func(t *testing.T, p *proc, h *holdgate.Hold) *holdgate.Hold {
			mustRelease(t, h)
			return p.mustLock(t, "y")
		},
		"entered and released": func(t *testing.T, p *proc, h *holdgate.Hold) *holdgate.Hold {
			mustRelease(t, p.mustLock(t, "y"))
			return h
		},
		"swapped": func(t *testing.T, p *proc, h *holdgate.Hold) *holdgate.Hold {
			w := p.lockLater(t.Context(), "x")
			w.pending(t)
			mustRelease(t, h)
			return w.granted(t, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for point, fault := range map[string]memdriver.Fault{
				"before the store looks":  {Delay: time.Second},
				"after the store looked":  {AnswerDelay: time.Second},
				"while the line is asked": {},
			} {
				t.Run(point, func(t *testing.T) {
					inBubble(t, func(t *testing.T) {
						store := memdriver.NewStore()
						p := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
						h := p.mustLock(t, "x")
						p.mustLock(t, "z")
						pass(ttl - 500*time.Millisecond)
						if point == "while the line is asked" {
							store.RemovePlace("z", placesOf(store, "z")[0].ID) // so that one is asked
							p.faults.next(memdriver.OpLine, memdriver.Fault{AnswerDelay: time.Second})
						}
						p.faults.next(memdriver.OpPresent, fault)
						pass(time.Second)
						h = meanwhile(t, p, h)
						pass(ttl)
						wantHeld(t, h)
						if strays := p.events.of(holdgate.EventStray); len(strays) > 0 {
							t.Errorf("told of strays: %+v", strays)
						}
					})
				})
			}
		})
	}
}
