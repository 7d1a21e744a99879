package holdgate_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// queue begins n Locks of one process, one after the other.
func (p *proc) queue(ctx context.Context, t testing.TB, name string, n int) []*attempt {
	t.Helper()
	waits := make([]*attempt, n)
	for i := range waits {
		waits[i] = p.lockLater(ctx, name)
		waits[i].pending(t)
	}
	return waits
}

// Passing a lock on within a process asks the store nothing, and keeps the order.
func TestHandoff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		order := placesOf(store, "x")[0].Order
		waits := p.queue(t.Context(), t, "x", 50)
		before := p.faults.total()
		for i, w := range waits {
			if got, want := h.Token(), holdgate.Token(order<<8)+holdgate.Token(i); got != want {
				t.Fatalf("grant %d has token %v; want %v", i, got, want)
			}
			mustRelease(t, h)
			h = w.granted(t, 0)
		}
		if n := p.faults.total() - before; n != 0 {
			t.Errorf("%d calls for 50 hand-overs; want none", n)
		}
		mustRelease(t, h)
		wantNothingLeft(t, store)
	})
}

// turns releases and takes until all waiters had their turn, each of which lasts for
// d. It returns for each who had it, as "a", "b" and so on, with the token of the grant.
func turns(t testing.TB, d time.Duration, h *holdgate.Hold, who string, waits map[string][]*attempt) (order string, tokens []holdgate.Token) {
	t.Helper()
	left := 1
	for _, w := range waits {
		left += len(w)
	}
	for range left {
		order += who
		tokens = append(tokens, h.Token())
		pass(d)
		mustRelease(t, h)
		h = nil
		pass(0)
		for name, w := range waits {
			if len(w) == 0 {
				continue
			}
			select {
			case <-w[0].done:
				if h != nil {
					t.Fatal("two holders")
				}
				who, h, waits[name] = name, w[0].granted(t, 0), w[1:]
			default:
			}
		}
		if h == nil && len(order) < left {
			t.Fatalf("nobody was granted after %q", order)
		}
	}
	return order, tokens
}

// The place goes to the end of the line when it was used as often, or as long, as the
// bound allows: others are not starved. Tokens increase through all of it.
func TestHandoffBound(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handoff holdgate.Handoff
		turn    time.Duration
		want    string
	}{
		{"by count", holdgate.Handoff{Grants: 3}, 0, "aaabcaaaaa"},
		{"by count, each once", holdgate.Handoff{Grants: 1}, 0, "abcaaaaaaa"},
		{"by time", holdgate.Handoff{Time: 10 * time.Millisecond}, 4 * time.Millisecond, "aaabcaaaaa"},
		{"by time, one long turn", holdgate.Handoff{}, time.Second, "abcaaaaaaa"},
		{"within the bound", holdgate.Handoff{}, time.Millisecond, "aaaaaaaabc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a := startProc(t, store, &holdgate.Options{Handoff: tt.handoff})
				b, c := startProc(t, store, nil), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				waits := map[string][]*attempt{"b": b.queue(t.Context(), t, "x", 1)}
				waits["a"] = a.queue(t.Context(), t, "x", 7)
				waits["c"] = c.queue(t.Context(), t, "x", 1)
				got, tokens := turns(t, tt.turn, h, "a", waits)
				if got != tt.want {
					t.Errorf("turns %q; want %q", got, tt.want)
				}
				if !slices.IsSorted(tokens) || len(slices.Compact(tokens)) != len(got) {
					t.Errorf("tokens do not increase: %v", tokens)
				}
				wantNothingLeft(t, store)
			})
		})
	}
}

// Strict: first come, first served over all processes, each grant a place of its own.
func TestHandoffStrict(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, strict()), startProc(t, store, strict())
		h := a.mustLock(t, "x")
		waits := map[string][]*attempt{}
		for range 5 {
			waits["a"] = append(waits["a"], a.queue(t.Context(), t, "x", 1)...)
			waits["b"] = append(waits["b"], b.queue(t.Context(), t, "x", 1)...)
		}
		if n := len(placesOf(store, "x")); n != 11 {
			t.Errorf("%d places; want 11", n)
		}
		got, tokens := turns(t, time.Millisecond, h, "a", waits)
		if want := "aababababab"; got != want {
			t.Errorf("turns %q; want %q", got, want)
		}
		if !slices.IsSorted(tokens) || len(slices.Compact(tokens)) != len(got) {
			t.Errorf("tokens do not increase: %v", tokens)
		}
	})
}

// The place of a process is that of all its waiters: when the one who took it gives up
// the others keep it. When the last has given up it is left.
func TestHandoffFirstGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, other := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		h := other.mustLock(t, "x")
		var cancels []context.CancelFunc
		var waits []*attempt
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			cancels = append(cancels, cancel)
			waits = append(waits, a.queue(ctx, t, "x", 1)...)
		}
		behind := b.lockLater(t.Context(), "x")
		behind.pending(t)
		mine := placesOf(store, "x")[1].ID
		cancels[0]()
		waits[0].refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		cancels[1]()
		waits[1].refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		if got := placesOf(store, "x")[1].ID; got != mine {
			t.Errorf("place %s; want %s, which the last still waits in", got, mine)
		}
		mustRelease(t, h)
		last := waits[2].granted(t, 0)
		if last.PlaceID() != mine {
			t.Errorf("granted on %s; want %s", last.PlaceID(), mine)
		}
		mustRelease(t, last)
		mustRelease(t, behind.granted(t, 0))
		cancels[2]()
		wantNothingLeft(t, store)
	})
}

func TestHandoffAllGiveUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, other := startProc(t, store, nil), startProc(t, store, nil)
		h := other.mustLock(t, "x")
		ctx, cancel := context.WithCancel(t.Context())
		waits := a.queue(ctx, t, "x", 5)
		cancel()
		for _, w := range waits {
			w.refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		}
		pass(0)
		if n := len(placesOf(store, "x")); n != 1 {
			t.Errorf("%d places; want the holder's", n)
		}
		if n := a.LocalLines(); n != 0 {
			t.Errorf("%d local lines left", n)
		}
		wantHeld(t, h)
	})
}

// Whoever comes just when the last has given up gets in line anew.
func TestHandoffGiveUpAndCome(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, other := startProc(t, store, nil), startProc(t, store, nil)
		h := other.mustLock(t, "x")
		for i := range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			w := a.lockLater(ctx, "x")
			if i%2 == 0 {
				w.pending(t)
			}
			cancel()
			next := a.lockLater(t.Context(), "x")
			w.answered(t, 0)
			next.pending(t)
			mustRelease(t, h)
			mustRelease(t, next.granted(t, time.Second))
			h = other.mustLock(t, "x")
		}
	})
}

// A session that is lost in the middle of a chain: the holder is told, and those in
// the local line get in line again, on a new session, behind those who came before.
func TestHandoffSessionLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.mustLock(t, "x")
		session := store.Sessions()[0]
		waits := a.queue(t.Context(), t, "x", 3)
		mustRelease(t, h)
		h = waits[0].granted(t, 0)
		between := b.lockLater(t.Context(), "x")
		between.pending(t)
		store.ExpireSession(session)
		hb := between.granted(t, 0)
		pass(renewEvery)
		wantLost(t, h, holdgate.LostSession)
		waits[1].pending(t)
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
		waits[1].pending(t)
		mustRelease(t, hb)
		last := waits[1].granted(t, time.Second)
		if last.PlaceID() == h.PlaceID() {
			t.Error("granted on the place of the lost session")
		}
		mustRelease(t, last)
		mustRelease(t, waits[2].granted(t, 0))
		wantNothingLeft(t, store)
	})
}

// A release that comes before anybody knows of the loss passes nothing on that the
// store does not have. Those who wait in this process were not asked to go: they get in
// line again, as they do when the loss is found otherwise.
func TestHandoffOfWhatIsGone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
		b := startProc(t, store, nil)
		h := a.mustLock(t, "x")
		waits := a.queue(t.Context(), t, "x", 2)
		store.RemovePlace("x", h.PlaceID())
		hb := b.mustLock(t, "x")
		_ = h.Release(t.Context()) // the place is to be swapped, and the swap finds it gone
		for _, w := range waits {
			w.pending(t)
		}
		wantHeld(t, hb)
		mustRelease(t, hb)
		for _, w := range waits {
			mustRelease(t, w.granted(t, 0))
		}
		wantNothingLeft(t, store)
	})
}

// A swap whose answer is lost is repeated, and makes one place.
func TestHandoffSwapFails(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"request lost": {Lose: memdriver.LoseRequest},
		"answer lost":  {Lose: memdriver.LoseAnswer},
		"refused":      {Err: errStoreDown},
		"slow":         {Delay: time.Second, AnswerDelay: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
				b := startProc(t, store, nil)
				h := a.mustLock(t, "x")
				between := b.lockLater(t.Context(), "x")
				between.pending(t)
				waits := a.queue(t.Context(), t, "x", 2)
				a.faults.next(memdriver.OpSwap, fault)
				mustRelease(t, h)
				hb := between.granted(t, 2*time.Second)
				pass(2 * time.Second)
				if n := len(placesOf(store, "x")); n != 2 {
					t.Errorf("%d places; want the holder's and the next one's", n)
				}
				mustRelease(t, hb)
				first := waits[0].granted(t, 0)
				if first.Token() <= h.Token() {
					t.Errorf("token %v after %v", first.Token(), h.Token())
				}
				mustRelease(t, first)
				mustRelease(t, waits[1].granted(t, 0))
				wantNothingLeft(t, store)
			})
		})
	}
}

// The place that a TryLock got goes to the end of the line as any other.
func TestHandoffAfterTry(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startProc(t, store, nil), startProc(t, store, nil)
		h, err := p.Mutex("x").TryLock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		between := other.lockLater(t.Context(), "x")
		between.pending(t)
		waits := p.queue(t.Context(), t, "x", 2)
		pass(holdgate.DefaultHandoffTime)
		mustRelease(t, h)
		mustRelease(t, between.granted(t, 0))
		for _, w := range waits {
			mustRelease(t, w.granted(t, 0))
		}
		wantNothingLeft(t, store)
	})
}

// A swap that the store refuses for good ends the waits, and gives the place back.
func TestHandoffSwapRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
		h := a.mustLock(t, "x")
		waits := a.queue(t.Context(), t, "x", 2)
		a.faults.next(memdriver.OpSwap, memdriver.Fault{Err: fmt.Errorf("%w: read-only", holdgate.ErrDenied)})
		mustRelease(t, h)
		for _, w := range waits {
			w.refused(t, 0, holdgate.ErrDenied, holdgate.ErrNotAcquired)
		}
		pass(0)
		wantNothingLeft(t, store)
		mustRelease(t, a.mustLock(t, "x"))
	})
}

// A swap runs on the client's time: the waiter for whom it began may give up. The new
// place is then left as soon as it is known.
func TestHandoffSwapOutlivesItsWaiter(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}})
		h := a.mustLock(t, "x")
		ctx, cancel := context.WithCancel(t.Context())
		w := a.queue(ctx, t, "x", 1)[0]
		a.faults.next(memdriver.OpSwap, memdriver.Fault{Delay: time.Second, AnswerDelay: time.Second})
		mustRelease(t, h)
		w.pending(t)
		cancel()
		w.refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		late := a.lockLater(t.Context(), "x")
		mustRelease(t, late.granted(t, 3*time.Second))
		pass(2 * time.Second)
		wantNothingLeft(t, store)
	})
}
