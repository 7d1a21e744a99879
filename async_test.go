package holdgate_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Releases that nobody waits for, and a Lock of the same name right behind. Whether the
// Lock comes before the release was sent is up to the scheduler: so each test repeats,
// and says that it saw both become one Swap.

const asyncRounds = 300

// swaps counts the swaps of a process, and injects a fault into each.
func (p *proc) swaps(fault memdriver.Fault) *atomic.Int64 {
	n := &atomic.Int64{}
	p.faults.ask(memdriver.OpSwap, func(memdriver.Call) memdriver.Fault {
		n.Add(1)
		return fault
	})
	return n
}

func mustReleaseAsync(t testing.TB, h *holdgate.Hold) {
	t.Helper()
	if err := h.ReleaseAsync(); err != nil {
		t.Fatalf("release: %v", err)
	}
	wantErr(t, h.Err(), holdgate.ErrNotHeld)
	wantErr(t, h.ReleaseAsync(), holdgate.ErrNotHeld)
	wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
}

// Nobody jumps the line: who locks again stands behind who waits already.
func TestReleaseAsyncStrictOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, strict()), startProc(t, store, strict())
		swaps := a.swaps(memdriver.Fault{})
		var last holdgate.Token
		for range asyncRounds {
			h := a.mustLock(t, "x")
			waits := b.lockLater(t.Context(), "x")
			waits.pending(t)
			mustReleaseAsync(t, h)
			again := a.lockLater(t.Context(), "x")
			other := waits.granted(t, 0)
			token := other.Token()
			again.pending(t)
			mustRelease(t, other)
			h = again.granted(t, 0)
			if h.Token() <= token || token <= last {
				t.Fatalf("tokens %d, %d, %d do not increase", last, token, h.Token())
			}
			last = h.Token()
			mustReleaseAsync(t, h)
			synctest.Wait()
			wantNothingLeft(t, store)
		}
		if swaps.Load() == 0 {
			t.Error("no release and Lock became one Swap")
		}
	})
}

// With local lines the goroutine that comes right behind is handed the lock, without the
// store, for as long as the hand-off may last.
func TestReleaseAsyncLocal(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		places := make(map[string]bool)
		for range asyncRounds {
			h := p.mustLock(t, "x")
			places[h.PlaceID()] = true
			mustReleaseAsync(t, h)
		}
		if len(places) == asyncRounds {
			t.Error("no lock was handed on")
		}
		synctest.Wait()
		wantNothingLeft(t, store)
	})
}

// A Lock that gives up while its Swap is not answered returns at once, and the lock is
// given back all the same.
func TestReleaseAsyncGivesUp(t *testing.T) {
	for lost, lose := range map[string]memdriver.Loss{"request": memdriver.LoseRequest, "answer": memdriver.LoseAnswer} {
		t.Run(lost, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, strict())
				swaps := p.swaps(memdriver.Fault{Lose: lose, Hang: true})
				for range asyncRounds {
					h := p.mustLock(t, "x")
					mustReleaseAsync(t, h)
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					again, err := p.Mutex("x").Lock(ctx)
					cancel()
					if err == nil {
						mustRelease(t, again) // the release came first
					} else {
						wantErr(t, err, context.DeadlineExceeded, holdgate.ErrNotAcquired)
						p.faults.clear()
						startProc(t, store, nil).lockLater(t.Context(), "x").granted(t, ttl)
						return
					}
					synctest.Wait()
				}
				t.Errorf("%d swaps, and no Lock gave up", swaps.Load())
			})
		})
	}
}

// What goes wrong with the place that is taken over is not the concern of the Lock that
// takes it over: it gets in line by itself.
func TestReleaseAsyncPlaceGone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, strict())
		for range asyncRounds {
			h := p.mustLock(t, "x")
			if !store.RemovePlace("x", h.PlaceID()) {
				t.Fatal("there was no place")
			}
			if err := h.ReleaseAsync(); err != nil {
				t.Fatal(err) // it did not know
			}
			mustRelease(t, p.mustLock(t, "x"))
			synctest.Wait()
			wantNothingLeft(t, store)
		}
	})
}

// A session that ends takes the departing place along. The Lock opens another one.
func TestReleaseAsyncSessionGone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, strict())
		for range asyncRounds {
			h := p.mustLock(t, "x")
			store.ExpireSession(store.Sessions()[0])
			if err := h.ReleaseAsync(); err != nil {
				t.Fatal(err)
			}
			mustRelease(t, p.mustLock(t, "x"))
			synctest.Wait()
			wantNothingLeft(t, store)
		}
	})
}

// Closing the client gives back what departs.
func TestReleaseAsyncClose(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for range asyncRounds {
			store := memdriver.NewStore()
			p := startProc(t, store, strict())
			mustReleaseAsync(t, p.mustLock(t, "x"))
			waits := p.lockLater(t.Context(), "x")
			if err := p.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			waits.answered(t, 0)
			if waits.err != nil && !errors.Is(waits.err, holdgate.ErrClosed) {
				t.Fatalf("got error %v", waits.err)
			}
			wantNothingLeft(t, store)
		}
	})
}
