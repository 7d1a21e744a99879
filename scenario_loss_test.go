package holdgate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// fails are the ways in which a renewal can fail.
var fails = map[string]memdriver.Fault{
	"refused":           {Err: errStoreDown},
	"request lost":      {Lose: memdriver.LoseRequest},
	"answer lost":       {Lose: memdriver.LoseAnswer},
	"no answer":         {Lose: memdriver.LoseRequest, Hang: true},
	"answer disappears": {Lose: memdriver.LoseAnswer, Hang: true},
}

// Renewals fail for good: the hold's context ends, with a cause, before the store
// frees the place.
func TestS11_RenewalsFail(t *testing.T) {
	for name, fault := range fails {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				opened := time.Now()
				told := toldAt(h)
				w := b.lockLater(t.Context(), "x")
				a.faults.always(memdriver.OpRenew, fault)
				<-h.Done()
				w.pending(t)
				if got := told.when().Sub(opened); got != believed {
					t.Errorf("told after %v; want %v", got, believed)
				}
				lost := wantLost(t, h, holdgate.LostExpired)
				if !lost.LastRenewed.Equal(opened) {
					t.Errorf("last renewed at %v; want %v", lost.LastRenewed, opened)
				}
				if lost.Err == nil {
					t.Error("not told what went wrong last")
				}
				w.granted(t, ttl)
				if d := w.took; d < believed || d > ttl {
					t.Errorf("another was granted after %v; want between %v and %v", d, believed, ttl)
				}
			})
		})
	}
}

// Exactly one renewal fails: still held after 3 T.
func TestS12_OneRenewalFails(t *testing.T) {
	for name, fault := range fails {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				h := p.mustLock(t, "x")
				p.faults.next(memdriver.OpRenew, fault)
				pass(3 * ttl)
				wantHeld(t, h)
			})
		})
	}
}

// Somebody deletes the entry in the store: the holder is told within a TTL. Others of
// the same client are not touched.
func TestS13_EntryDeleted(t *testing.T) {
	for _, after := range []time.Duration{0, 100 * time.Millisecond, 2 * time.Second, ttl} {
		t.Run(after.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				h, other := p.mustLock(t, "x"), p.mustLock(t, "y")
				pass(after)
				store.RemovePlace("x", h.PlaceID())
				pass(ttl)
				wantLost(t, h, holdgate.LostRemoved)
				wantHeld(t, other)
				wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
				mustRelease(t, p.mustLock(t, "x"))
			})
		})
	}
}

// The session is revoked in the store: all its holds are told within a renewal.
func TestS14_SessionRevoked(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		var holds []*holdgate.Hold
		for i := range 10 {
			holds = append(holds, p.mustLock(t, fmt.Sprint("x", i)))
		}
		pass(2 * time.Second)
		store.ExpireSession(store.Sessions()[0])
		pass(renewEvery)
		for _, h := range holds {
			wantLost(t, h, holdgate.LostSession)
		}
		mustRelease(t, p.mustLock(t, "x0"))
	})
}

// 1,000 holds for 10 T, with a network that is slow and loses a tenth of everything:
// none is lost, or its context ended in time. One heartbeat serves them all.
func TestS15_ThousandHolds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		holds := make([]*holdgate.Hold, 1000)
		for i := range holds {
			holds[i] = p.mustLock(t, fmt.Sprint("x", i))
		}
		dice := rand.New(rand.NewPCG(1, 2))
		p.faults.ask(memdriver.OpRenew, func(memdriver.Call) memdriver.Fault {
			f := memdriver.Fault{AnswerDelay: time.Duration(dice.Int64N(int64(time.Second)))}
			if dice.IntN(10) == 0 {
				f.Lose = memdriver.LoseAnswer
			}
			return f
		})
		pass(10 * ttl)
		for _, h := range holds {
			wantHeld(t, h)
		}
		if n := p.faults.count(memdriver.OpRenew); n < 38 || n > 60 {
			t.Errorf("%d renewals in 10 T; want one each %v, and some again", n, renewEvery)
		}
		if n := len(p.events.of(holdgate.EventLost)); n > 0 {
			t.Errorf("told of %d losses", n)
		}
		for _, h := range holds {
			mustRelease(t, h)
		}
		wantNothingLeft(t, store)
	})
}

// Lost, then the same name acquired again on the same client: the new hold is renewed.
func TestS16_AcquiredAgain(t *testing.T) {
	for name, lose := range map[string]func(store *memdriver.Store, p *proc, h *holdgate.Hold){
		"session revoked": func(store *memdriver.Store, _ *proc, _ *holdgate.Hold) { store.ExpireSession(store.Sessions()[0]) },
		"cut off": func(_ *memdriver.Store, p *proc, h *holdgate.Hold) {
			p.drv.SetLink(memdriver.LinkRefuses)
			<-h.Done()
			p.drv.SetLink(memdriver.LinkUp)
		},
		"entry deleted": func(store *memdriver.Store, _ *proc, h *holdgate.Hold) { store.RemovePlace("x", h.PlaceID()) },
		"stopped": func(_ *memdriver.Store, p *proc, _ *holdgate.Hold) {
			p.clock.Pause()
			pass(2 * ttl)
			p.clock.Resume()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				for range 3 {
					h := p.mustLock(t, "x")
					lose(store, p, h)
					<-h.Done()
					wantErr(t, h.Err(), holdgate.ErrLost)
				}
				h := p.mustLock(t, "x")
				pass(3 * ttl)
				wantHeld(t, h)
				mustRelease(t, h)
				wantNothingLeft(t, store)
			})
		})
	}
}

// Release inside the loss handler: no deadlock, ErrLost.
func TestS17_ReleaseInLossHandler(t *testing.T) {
	for name, handle := range map[string]func(h *holdgate.Hold, release func()){
		"AfterFunc": func(h *holdgate.Hold, release func()) { context.AfterFunc(h.Context(), release) },
		"goroutine": func(h *holdgate.Hold, release func()) {
			go func() { // ends with the hold
				<-h.Done()
				release()
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, nil)
				h := p.mustLock(t, "x")
				waits := p.queue(t.Context(), t, "x", 1)
				answer := make(chan error, 1)
				handle(h, func() { answer <- h.Release(context.Background()) })
				store.ExpireSession(store.Sessions()[0])
				wantErr(t, <-answer, holdgate.ErrLost)
				mustRelease(t, waits[0].granted(t, time.Second))
			})
		})
	}
}

// The store is restarted with its data: holds survive when it is back within T, or are
// told; never silently gone.
func TestS18_StoreRestarted(t *testing.T) {
	for name, tt := range map[string]struct {
		away time.Duration
		held bool
	}{
		"back within T": {ttl / 2, true},
		"back too late": {ttl + 10*time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				w := b.lockLater(t.Context(), "x")
				w.pending(t)
				for _, p := range []*proc{a, b} {
					p.drv.SetLink(memdriver.LinkRefuses)
				}
				pass(tt.away)
				for _, p := range []*proc{a, b} {
					p.drv.SetLink(memdriver.LinkUp)
				}
				if tt.held {
					pass(3 * ttl)
					wantHeld(t, h)
					w.pending(t)
					mustRelease(t, h)
				} else {
					wantLost(t, h, holdgate.LostExpired)
				}
				mustRelease(t, w.granted(t, ttl))
			})
		})
	}
}
