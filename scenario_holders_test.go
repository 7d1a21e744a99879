package holdgate_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// H is cut off for longer than T, then reconnects: told lost before anyone else is
// granted, and it stays lost.
func TestS01_CutOffHolder(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				token := h.Token()
				told := toldAt(h)
				w := b.lockLater(t.Context(), "x")
				pass(renewEvery + time.Second)
				a.drv.SetLink(link)
				hb := w.granted(t, 2*ttl)
				granted := time.Now()
				if at := told.when(); at.IsZero() || granted.Sub(at) < holdgate.Guard(ttl) {
					t.Errorf("told %v before another was granted; want at least %v", granted.Sub(at), holdgate.Guard(ttl))
				}
				wantLost(t, h, holdgate.LostExpired)
				if hb.Token() <= token {
					t.Errorf("token %v after %v", hb.Token(), token)
				}
				pass(ttl)
				a.drv.SetLink(memdriver.LinkUp)
				for range 12 {
					pass(renewEvery)
					wantLost(t, h, holdgate.LostExpired)
					wantHeld(t, hb)
				}
				wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
				wantHeld(t, hb)
				next := a.lockLater(t.Context(), "x")
				next.pending(t)
				mustRelease(t, hb)
				mustRelease(t, next.granted(t, 0))
			})
		})
	}
}

// H loses its session, reconnects and locks again while its old place is still there:
// it is not granted on the old place.
func TestS02_OldPlaceStillThere(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, opts)
				h := p.mustLock(t, "x")
				opened := time.Now()
				p.faults.always(memdriver.OpClose, memdriver.Fault{Err: errStoreDown}) // the old session is not ended by hand
				p.drv.SetLink(memdriver.LinkRefuses)
				<-h.Done()
				p.drv.SetLink(memdriver.LinkUp)
				again := p.lockLater(t.Context(), "x")
				again.pending(t)
				if places := placesOf(store, "x"); len(places) != 2 || places[0].ID != h.PlaceID() {
					t.Fatalf("the old place does not stand: this run shows nothing: %+v", places)
				}
				next := again.granted(t, ttl)
				if next.PlaceID() == h.PlaceID() {
					t.Error("granted on the old place")
				}
				if at := time.Since(opened); at < ttl {
					t.Errorf("granted after %v, while the old place stood", at)
				}
				wantLost(t, h, holdgate.LostExpired)
				wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
				wantHeld(t, next)
			})
		})
	}
}

// room counts who is inside, and who was there at once.
type room struct {
	mu           sync.Mutex
	inside, most int
	visits       int
	last         holdgate.Token
	disorder     string
}

func (r *room) enter(token holdgate.Token) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside++
	r.visits++
	r.most = max(r.most, r.inside)
	if token <= r.last {
		r.disorder = fmt.Sprintf("token %v after %v", token, r.last)
	}
	r.last = token
}

func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside--
}

// want checks that there were so many visits, one at a time, with tokens that increased.
func (r *room) want(t testing.TB, visits int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 1 {
		t.Errorf("%d holders at once", r.most)
	}
	if r.visits != visits {
		t.Errorf("%d visits; want %d", r.visits, visits)
	}
	if r.disorder != "" {
		t.Error(r.disorder)
	}
}

// visit holds the lock for a while.
func (r *room) visit(t testing.TB, p *proc, name string, d time.Duration) {
	h, err := p.Mutex(name).Lock(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Errorf("lock: %v", err)
		return
	}
	r.enter(h.Token())
	time.Sleep(d)
	if err := h.Err(); err != nil {
		t.Errorf("not held at the end: %v", err)
	}
	r.leave()
	if err := h.Release(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("release: %v", err)
	}
}

// 100 contenders with the same owner text: exactly one holder. The text decides
// nothing.
func TestS03_SameOwner(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		var inside room
		var wg sync.WaitGroup
		for range 100 {
			p := startProc(t, store, &holdgate.Options{Owner: "the same"})
			wg.Go(func() { inside.visit(t, p, "x", time.Millisecond) })
		}
		wg.Wait()
		inside.want(t, 100)
	})
}

// Goroutines lock one name through one client at once: one holder.
func TestS04_OneClient(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, opts)
				var inside room
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						for range 100 {
							inside.visit(t, p, "x", time.Millisecond)
						}
					})
				}
				wg.Wait()
				inside.want(t, 200)
				wantNothingLeft(t, store)
			})
		})
	}
}

// The process is stopped for 3 T inside the lock: when it goes on, the loss is seen
// before any call on the hold succeeds, whichever call is the first.
func TestS05_StoppedProcess(t *testing.T) {
	for name, first := range map[string]func(t *testing.T, h *holdgate.Hold){
		"err":           func(t *testing.T, h *holdgate.Hold) { wantErr(t, h.Err(), holdgate.ErrLost) },
		"verify":        func(t *testing.T, h *holdgate.Hold) { wantErr(t, h.Verify(t.Context()), holdgate.ErrLost) },
		"release":       func(t *testing.T, h *holdgate.Hold) { wantErr(t, h.Release(t.Context()), holdgate.ErrLost) },
		"token":         func(t *testing.T, h *holdgate.Hold) { wantZero(t, h.Token()) },
		"trusted until": func(t *testing.T, h *holdgate.Hold) { wantZero(t, h.TrustedUntil()) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				queued := a.lockLater(t.Context(), "x")
				queued.pending(t)
				w := b.lockLater(t.Context(), "x")
				w.pending(t)
				a.clock.Pause()
				pass(3 * ttl)
				hb := w.granted(t, 0)
				a.clock.Resume() // nothing of a has run when it is asked
				first(t, h)
				wantErr(t, h.Err(), holdgate.ErrLost, context.Cause(h.Context()))
				queued.pending(t) // the lock was not handed on
				pass(ttl)
				wantHeld(t, hb)
				mustRelease(t, hb)
				mustRelease(t, queued.granted(t, time.Second))
			})
		})
	}
}

func wantZero[T comparable](t testing.TB, got T) {
	t.Helper()
	if got != *new(T) {
		t.Errorf("got %v; want the zero value", got)
	}
}

// W's session dies while it waits, H then releases: W is never granted on its old
// place; the next that lives gets it, and W after it, on a new one.
func TestS06_WaiterOfDeadSession(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				holder, dead, next := startProc(t, store, nil), startProc(t, store, opts), startProc(t, store, nil)
				h := holder.mustLock(t, "x")
				w := dead.lockLater(t.Context(), "x")
				w.pending(t)
				n := next.lockLater(t.Context(), "x")
				n.pending(t)
				old := placesOf(store, "x")[1]
				dead.drv.SetLink(memdriver.LinkHangs) // it does not hear of it
				store.ExpireSession(old.Session)
				mustRelease(t, h)
				hn := n.granted(t, 0)
				dead.drv.SetLink(memdriver.LinkUp)
				w.pending(t)
				mustRelease(t, hn)
				hw := w.granted(t, time.Second)
				if hw.PlaceID() == old.ID {
					t.Error("granted on the place of the dead session")
				}
				mustRelease(t, hw)
			})
		})
	}
}

// Two candidates start a new session at the same moment, over and over: whenever one is
// granted, no other believes.
func TestS07_NewSessionsAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		procs := []*proc{startProc(t, store, nil), startProc(t, store, nil)}
		var mu sync.Mutex
		believed := make(map[*proc]*holdgate.Hold)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		terms := 0
		lead := func(p *proc, h *holdgate.Hold) {
			mu.Lock()
			defer mu.Unlock()
			for other, held := range believed {
				if other != p && held.Err() == nil {
					t.Error("two leaders")
				}
			}
			believed[p] = h
			terms++
		}
		for _, p := range procs {
			wg.Go(func() {
				for {
					h, err := p.Mutex("leader").Lock(ctx)
					if err != nil {
						if ctx.Err() != nil {
							return
						}
						continue // the store is away
					}
					lead(p, h)
					<-h.Done()
					_ = h.Release(context.WithoutCancel(ctx))
				}
			})
		}
		for range 20 {
			pass(ttl)
			for _, p := range procs {
				p.drv.SetLink(memdriver.LinkHangs)
			}
			pass(2 * ttl)
			for _, p := range procs {
				p.drv.SetLink(memdriver.LinkUp)
			}
		}
		pass(ttl)
		cancel()
		for _, p := range procs {
			p.Close(t.Context())
		}
		wg.Wait()
		if terms < 20 {
			t.Errorf("%d terms in 20 outages: this run shows nothing", terms)
		}
	})
}

// A client renews late, and renewals succeed now and then: the loss is counted from
// when the last one that succeeded was sent, not from when it was answered.
func TestS10_SlowRenewals(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		told := toldAt(h)
		const slow = 3 * time.Second
		fail := false
		var counted time.Time
		lift := p.faults.ask(memdriver.OpRenew, func(memdriver.Call) memdriver.Fault {
			fail = !fail
			if fail {
				return memdriver.Fault{Lose: memdriver.LoseRequest}
			}
			counted = time.Now()
			return memdriver.Fault{AnswerDelay: slow}
		})
		pass(4 * ttl)
		wantHeld(t, h)
		lift()
		answered := make(chan struct{})
		p.faults.ask(memdriver.OpRenew, func(memdriver.Call) memdriver.Fault {
			select {
			case <-answered:
				return memdriver.Fault{Lose: memdriver.LoseRequest}
			default:
			}
			close(answered)
			counted = time.Now()
			return memdriver.Fault{AnswerDelay: slow} // the last that succeeds
		})
		<-h.Done()
		pass(0)
		if got := told.when().Sub(counted); got != believed {
			t.Errorf("told %v after the last renewal that succeeded was sent; want %v", got, believed)
		}
		if lost := wantLost(t, h, holdgate.LostExpired); !lost.LastRenewed.Equal(counted) {
			t.Errorf("last renewed at %v; want %v", lost.LastRenewed, counted)
		}
	})
}
