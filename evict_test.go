package holdgate_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// evictLater begins an Evict, and returns where its answer comes.
func (p *proc) evictLater(ctx context.Context, name, placeID string, e holdgate.Eviction) <-chan error {
	answer := make(chan error, 1)
	go func() { answer <- p.Evict(ctx, name, placeID, e) }() // ends with the eviction; the bubble waits for it
	return answer
}

// unanswered fails the test if an answer has come.
func unanswered(t testing.TB, answer <-chan error) {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-answer:
		t.Fatalf("answered: %v", err)
	default:
	}
}

// The holder is told with the reason by its next renewal, while the place stands, and
// the evictor has its answer when the holder released.
func TestS13_Eviction(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		admin := startProc(t, store, &holdgate.Options{Owner: "ops"})
		h := p.mustLock(t, "x")
		answer := admin.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Reason: "maintenance"})
		unanswered(t, answer)
		wantHeld(t, h)
		shown := lineOf(t, admin, "x").Places[0].Eviction
		if shown == nil || *shown != (holdgate.Eviction{Reason: "maintenance", By: "ops"}) {
			t.Errorf("the line shows %+v", shown)
		}

		pass(renewEvery)
		lost := wantLost(t, h, holdgate.LostEvicted)
		if lost.By != "ops" || lost.Message != "maintenance" {
			t.Errorf("told by %q: %q", lost.By, lost.Message)
		}
		if len(placesOf(store, "x")) != 1 {
			t.Error("the place went before its holder released")
		}
		unanswered(t, answer)
		if n := len(p.events.of(holdgate.EventLost)); n != 1 {
			t.Errorf("told of %d losses; want 1", n)
		}

		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		if err := <-answer; err != nil {
			t.Errorf("evict: %v", err)
		}
		wantNothingLeft(t, store)
		mustRelease(t, p.mustLock(t, "x")) // nothing is held against the client
	})
}

func lineOf(t testing.TB, p *proc, name string) holdgate.Line {
	t.Helper()
	line, err := p.Line(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// A holder that does not release keeps its place for TTL and slack after the mark, and
// not longer. By then it has been told, or has lost its trust.
func TestEvictHolderThatStays(t *testing.T) {
	const slack = 3 * time.Second
	for name, cut := range map[string]bool{"told": false, "cut off": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				admin := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
				admin.drv = store.Connect(&memdriver.Options{Faults: admin.faults.inject, Clock: admin.clock})
				slow := featured{Driver: admin.drv, features: admin.drv.Features()}
				slow.features.ExpirySlack = slack
				admin.open(t, slow, nil)

				h := p.mustLock(t, "x")
				told := toldAt(h)
				pass(renewEvery + time.Second)
				marked := time.Now()
				answer := admin.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{})
				synctest.Wait()
				if cut {
					// Renewals reach the store, so that it keeps the session, and no answer comes
					// back: what ends the place is the evictor.
					p.faults.always(memdriver.OpRenew, memdriver.Fault{Lose: memdriver.LoseAnswer})
					p.faults.always(memdriver.OpClose, memdriver.Fault{Err: errStoreDown})
				}
				pass(ttl + slack - time.Millisecond)
				unanswered(t, answer)
				if len(placesOf(store, "x")) != 1 {
					t.Fatal("the place went too early")
				}
				pass(time.Millisecond)
				if err := <-answer; err != nil {
					t.Errorf("evict: %v", err)
				}
				wantNothingLeft(t, store)
				if d := told.when().Sub(marked); told.when().IsZero() || d > ttl {
					t.Errorf("the holder was told %v after the mark", d)
				}
				if h.Err() == nil {
					t.Error("two may believe")
				}
			})
		})
	}
}

// Without TTL and slack to wait for, the evictor would have to wait for ever where
// nothing expires: only the holder can leave.
func TestEvictWhereNothingExpires(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, admin := startImmortal(t, store), startImmortal(t, store)
		h := p.mustLock(t, "x")
		if _, err := json.Marshal(h.TrustedUntil()); err != nil {
			t.Error(err)
		}
		if got := h.TrustedUntil(); got.Before(time.Now().AddDate(1000, 0, 0)) {
			t.Errorf("trusted until %v; want far in the future", got)
		}
		answer := admin.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Reason: "now"})
		pass(100 * ttl)
		unanswered(t, answer)
		wantLost(t, h, holdgate.LostEvicted)
		if len(placesOf(store, "x")) != 1 {
			t.Error("the place went though its holder may be at work")
		}
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		if err := <-answer; err != nil {
			t.Errorf("evict: %v", err)
		}
	})
}

// One that waits goes at once, and is told. The others of its process get in line
// again or are told: nobody is left hanging.
func TestEvictWaiter(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				holder, p, behind := startProc(t, store, nil), startProc(t, store, opts), startProc(t, store, nil)
				h := holder.mustLock(t, "x")
				w := p.lockLater(t.Context(), "x")
				w.pending(t)
				next := behind.lockLater(t.Context(), "x")
				next.pending(t)
				if err := holder.Evict(t.Context(), "x", placesOf(store, "x")[1].ID, holdgate.Eviction{}); err != nil {
					t.Fatal(err)
				}
				w.refused(t, 0, holdgate.ErrNotAcquired)
				if n := len(placesOf(store, "x")); n != 2 {
					t.Errorf("%d places; want holder and next", n)
				}
				wantHeld(t, h)
				mustRelease(t, h)
				mustRelease(t, next.granted(t, 0))
			})
		})
	}
}

func TestEvictByForce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, admin := startProc(t, store, nil), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		begun := time.Now()
		if err := admin.Evict(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Force: true}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("it took %v", took)
		}
		wantNothingLeft(t, store)
		wantErr(t, h.Verify(t.Context()), holdgate.ErrLost)
		wantLost(t, h, holdgate.LostRemoved)
	})
}

// When the evictor gives up the mark stays, and the holder is told all the same.
func TestEvictGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, admin := startProc(t, store, nil), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := admin.Evict(ctx, "x", h.PlaceID(), holdgate.Eviction{Reason: "go"})
		wantErr(t, err, context.DeadlineExceeded)
		if want := "the holder was asked to go, and still holds: context deadline exceeded"; err.Error() != want {
			t.Errorf("got %q; want %q", err, want)
		}
		wantHeld(t, h)
		pass(renewEvery)
		wantLost(t, h, holdgate.LostEvicted)
	})
}

func TestEvictRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		other := h.PlaceID()
		mustRelease(t, h)
		if err := store.PutForeign("y", "etcdctl"); err != nil {
			t.Fatal(err)
		}
		h = p.mustLock(t, "x")
		for _, tt := range []struct {
			name, id string
			e        holdgate.Eviction
			want     error
		}{
			{"x", other, holdgate.Eviction{}, holdgate.ErrNotHeld},
			{"nobody", h.PlaceID(), holdgate.Eviction{}, holdgate.ErrNotHeld},
			{"", h.PlaceID(), holdgate.Eviction{}, holdgate.ErrInvalidName},
			{"y", "etcdctl", holdgate.Eviction{}, holdgate.ErrUnsupported},
			{"x", h.PlaceID(), holdgate.Eviction{Reason: string(make([]byte, 1025))}, driver.ErrTooLarge},
		} {
			wantErr(t, p.Evict(t.Context(), tt.name, tt.id, tt.e), tt.want)
		}
		pass(ttl)
		wantHeld(t, h)
		if err := p.Evict(t.Context(), "y", "etcdctl", holdgate.Eviction{Force: true}); err != nil {
			t.Errorf("a foreign place by force: %v", err)
		}
		if len(placesOf(store, "y")) != 0 {
			t.Error("the foreign place stands")
		}
	})
}

// An eviction whose answer was lost is sent again: a second mark changes nothing.
func TestEvictAnswerLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, admin := startProc(t, store, nil), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		admin.faults.next(memdriver.OpEvict, memdriver.Fault{Lose: memdriver.LoseAnswer})
		admin.faults.next(memdriver.OpWatch, memdriver.Fault{Err: errStoreDown})
		answer := admin.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{Reason: "go"})
		<-h.Done()
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		if err := <-answer; err != nil {
			t.Errorf("evict: %v", err)
		}
	})
}

// The place that an evicted holder gives back is not passed on in its process.
func TestEvictedPlaceIsNotPassedOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, admin := startProc(t, store, nil), startProc(t, store, nil)
		h := p.mustLock(t, "x")
		w := p.lockLater(t.Context(), "x")
		w.pending(t)
		answer := admin.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{})
		<-h.Done()
		w.pending(t)
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		next := w.granted(t, time.Second)
		if next.PlaceID() == h.PlaceID() {
			t.Error("passed on within the evicted place")
		}
		if err := <-answer; err != nil {
			t.Errorf("evict: %v", err)
		}
		mustRelease(t, next)
	})
}

// A place that was granted in the store, and marked before its process learned of the
// grant: the waiter is told, and nothing is left.
func TestEvictJustGranted(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				holder, p := startProc(t, store, nil), startProc(t, store, opts)
				h := holder.mustLock(t, "x")
				p.warm(t)
				p.faults.next(memdriver.OpWait, memdriver.Fault{AnswerDelay: renewEvery + time.Second})
				w := p.lockLater(t.Context(), "x")
				w.pending(t)
				mustRelease(t, h)
				answer := holder.evictLater(t.Context(), "x", placesOf(store, "x")[0].ID, holdgate.Eviction{Reason: "go"})
				err := w.refused(t, ttl, holdgate.ErrNotAcquired, holdgate.ErrLost)
				var lost *holdgate.LostError
				if !errors.As(err, &lost) || lost.Reason != holdgate.LostEvicted || lost.Message != "go" {
					t.Errorf("got %v; want the reason", err)
				}
				if err := <-answer; err != nil {
					t.Errorf("evict: %v", err)
				}
				wantNothingLeft(t, store)
			})
		})
	}
}

// The renewal that tells of an eviction gives no new trust to the holder that is to go:
// it would reach beyond the moment at which the evictor removes the place.
func TestEvictedBeforeTrustGrows(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		var h *holdgate.Hold
		var marked, asked atomic.Bool
		p := startProc(t, store, &holdgate.Options{OnEvent: func(e holdgate.Event) {
			if e.Type == holdgate.EventRenewed && marked.Load() && !asked.Swap(true) {
				if err := h.Err(); !errors.Is(err, holdgate.ErrLost) {
					t.Errorf("renewed, and the evicted hold's error is %v", err)
				}
			}
		}})
		h = p.mustLock(t, "x")
		answer := p.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{})
		unanswered(t, answer)
		marked.Store(true)
		pass(renewEvery)
		if !asked.Load() {
			t.Error("there was no renewal: this run shows nothing")
		}
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		if err := <-answer; err != nil {
			t.Errorf("evict: %v", err)
		}
	})
}
