package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// reading begins n RLocks of one process, and waits until all are granted.
func (p *proc) reading(t testing.TB, n int) []*holdgate.Hold {
	t.Helper()
	holds := make([]*holdgate.Hold, n)
	for i := range holds {
		holds[i] = p.readLater(t.Context()).granted(t, time.Second)
	}
	return holds
}

// Readers of one process share a place: the first asks the store, the others nobody, and the
// last to release leaves it. Each has a hold of its own.
func TestReadersShare(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		first := p.reading(t, 1)[0]
		before := p.faults.total()
		holds := append([]*holdgate.Hold{first}, p.reading(t, 20)...)
		tokens := make(map[holdgate.Token]bool)
		for _, h := range holds {
			tokens[h.Token()] = true
			if h.PlaceID() != first.PlaceID() {
				t.Errorf("a place of its own: %s", h.PlaceID())
			}
		}
		if len(tokens) != len(holds) {
			t.Errorf("%d tokens of %d holds", len(tokens), len(holds))
		}
		for i, h := range holds {
			if n := p.faults.total() - before; n > 0 {
				t.Fatalf("%d calls before reader %d released", n, i)
			}
			wantHeld(t, h)
			mustRelease(t, h)
			wantErr(t, h.Release(t.Context()), holdgate.ErrNotHeld)
		}
		if n := p.faults.total() - before; n != 1 {
			t.Errorf("%d calls; want one, to leave", n)
		}
		wantNothingLeft(t, store)
	})
}

// Who comes when the bound is reached takes a place behind the queue: a writer elsewhere is
// passed for so long and so often, and no longer.
func TestReadersBound(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handoff holdgate.Handoff
		wait    time.Duration
		joins   int // so many join the first one after the writer came
	}{
		{"by time", holdgate.Handoff{}, holdgate.DefaultHandoffTime, 0},
		{"within the time", holdgate.Handoff{}, holdgate.DefaultHandoffTime - 1, 5},
		{"by count", holdgate.Handoff{Grants: 3}, 0, 2},
		{"strict", holdgate.Handoff{Strict: true}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, &holdgate.Options{Handoff: tt.handoff}), startProc(t, store, nil)
				first := a.reading(t, 1)[0]
				w := b.writeLater(t.Context())
				w.pending(t)
				pass(tt.wait)
				var joined []*holdgate.Hold
				var behind []*attempt
				for i := range 5 {
					r := a.readLater(t.Context())
					if i < tt.joins {
						joined = append(joined, r.granted(t, 0))
						continue
					}
					r.pending(t)
					behind = append(behind, r)
				}
				w.pending(t)
				mustRelease(t, first)
				for _, h := range joined {
					w.pending(t)
					mustRelease(t, h)
				}
				write := w.granted(t, 0)
				for _, r := range behind {
					r.pending(t)
				}
				mustRelease(t, write)
				for _, r := range behind {
					mustRelease(t, r.granted(t, 0))
				}
				wantNothingLeft(t, store)
			})
		})
	}
}

// All who wait while a writer holds have one place, and get the lock at once. One that gives
// up takes nothing from the others; the last one takes the place with it.
func TestReadersWaitTogether(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		write := b.writeLater(t.Context()).granted(t, 0)
		ctx, cancel := context.WithCancel(t.Context())
		impatient := a.readLater(ctx)
		impatient.pending(t)
		var waits []*attempt
		for range 10 {
			waits = append(waits, a.readLater(t.Context()))
		}
		waits[0].pending(t)
		if n := len(placesOf(store, "x")); n != 2 {
			t.Fatalf("%d places; want the writer's and the readers'", n)
		}
		cancel()
		impatient.refused(t, 0, context.Canceled, holdgate.ErrNotAcquired)
		mustRelease(t, write)
		for _, w := range waits {
			w.granted(t, 0)
		}
		for _, w := range waits {
			mustRelease(t, w.hold)
		}
		wantNothingLeft(t, store)

		write = b.writeLater(t.Context()).granted(t, 0)
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		last := a.readLater(ctx)
		last.pending(t)
		cancel()
		last.refused(t, 0, context.Canceled)
		pass(0)
		if n := len(placesOf(store, "x")); n != 1 {
			t.Errorf("%d places; want the writer's", n)
		}
		mustRelease(t, write)
		mustRelease(t, a.readLater(t.Context()).granted(t, 0))
		wantNothingLeft(t, store)
	})
}

// More than may share a place do not wait for one.
func TestReadersAreTooMany(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 3}})
		b := startProc(t, store, nil)
		write := b.writeLater(t.Context()).granted(t, 0)
		var waits []*attempt
		for range 10 {
			waits = append(waits, a.readLater(t.Context()))
		}
		waits[0].pending(t)
		if n := len(placesOf(store, "x")); n != 1+4 {
			t.Errorf("%d places; want the writer's and 4 of 10 readers", n)
		}
		mustRelease(t, write)
		for _, w := range waits {
			mustRelease(t, w.granted(t, 0))
		}
		wantNothingLeft(t, store)
	})
}

// What happens to the place happens to all who share it, and nobody joins it any more.
func TestReadersAreLostTogether(t *testing.T) {
	for name, tt := range map[string]struct {
		lose   func(t *testing.T, store *memdriver.Store, p *proc, h *holdgate.Hold)
		reason holdgate.LostReason
	}{
		"expired": {func(_ *testing.T, _ *memdriver.Store, p *proc, _ *holdgate.Hold) {
			p.clock.Pause()
			pass(ttl - ttl/200) // past what it may believe; the store has not ended the session yet
			p.clock.Resume()
		}, holdgate.LostExpired},
		"session ended": {func(_ *testing.T, store *memdriver.Store, _ *proc, _ *holdgate.Hold) {
			store.ExpireSession(store.Sessions()[0])
			pass(renewEvery)
		}, holdgate.LostSession},
		"session ended, as another lock finds": {func(t *testing.T, store *memdriver.Store, p *proc, _ *holdgate.Hold) {
			// At once: the bound is not what keeps a later reader out.
			store.ExpireSession(store.Sessions()[0])
			mustRelease(t, p.mustLock(t, "y"))
		}, holdgate.LostSession},
		"place removed": {func(_ *testing.T, store *memdriver.Store, _ *proc, h *holdgate.Hold) {
			store.RemovePlace("x", h.PlaceID())
			pass(ttl)
		}, holdgate.LostRemoved},
		"evicted": {func(t *testing.T, _ *memdriver.Store, p *proc, h *holdgate.Hold) {
			ctx, cancel := context.WithTimeout(t.Context(), renewEvery+time.Second)
			defer cancel()
			_ = p.Evict(ctx, "x", h.PlaceID(), holdgate.Eviction{})
		}, holdgate.LostEvicted},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p := startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Time: time.Second}})
				holds := p.reading(t, 3)
				told := []*moment{toldAt(holds[0]), toldAt(holds[2])}
				tt.lose(t, store, p, holds[0])
				pass(0)
				for _, h := range holds {
					wantLost(t, h, tt.reason)
				}
				for _, m := range told {
					if m.when().IsZero() {
						t.Error("a reader was not told")
					}
				}
				fresh := p.readLater(t.Context()).granted(t, time.Second)
				if fresh.PlaceID() == holds[0].PlaceID() {
					t.Error("joined a place that is lost")
				}
				for _, h := range holds {
					wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
				}
				wantHeld(t, fresh)
				mustRelease(t, fresh)
				wantNothingLeft(t, store)
			})
		})
	}
}

// Whether the session can be believed is looked at when somebody joins: before the timers of
// a process that was stopped have run.
func TestReadersJoinOnlyWhatIsTrusted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, &holdgate.Options{TTL: time.Second, Handoff: holdgate.Handoff{Time: time.Second}})
		p.warm(t)
		lift := p.faults.always(memdriver.OpRenew, memdriver.Fault{Err: errStoreDown})
		pass(700 * time.Millisecond)
		h := p.reading(t, 1)[0]
		p.clock.Pause()
		pass(300 * time.Millisecond) // less than the hand-off's time, more than is left of the trust
		p.clock.Resume()
		late, err := p.RWMutex("x").RLock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if late.PlaceID() == h.PlaceID() {
			t.Error("joined a place that cannot be believed")
		}
		lift()
		mustRelease(t, late)
		wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
	})
}

// Those who wait in one process when its session is lost get in line again, together.
func TestReadersWaitOnAfterLoss(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		write := b.writeLater(t.Context()).granted(t, 0)
		session := store.Sessions()[0]
		waits := []*attempt{a.readLater(t.Context()), a.readLater(t.Context())}
		waits[1].pending(t)
		for _, id := range store.Sessions() {
			if id != session {
				store.ExpireSession(id)
			}
		}
		pass(renewEvery)
		mustRelease(t, write)
		for _, w := range waits {
			w.granted(t, time.Second)
		}
		for _, w := range waits {
			mustRelease(t, w.hold)
		}
		wantNothingLeft(t, store)
	})
}

// A try joins those who read, and does not wait with those who wait.
func TestTryRLockAmongReaders(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.reading(t, 1)[0]
		before := a.faults.total()
		try, err := a.RWMutex("x").TryRLock(t.Context())
		if err != nil || try.PlaceID() != h.PlaceID() || a.faults.total() != before {
			t.Fatalf("got %v, %v", try, err)
		}
		mustRelease(t, try)
		mustRelease(t, h)
		write := b.writeLater(t.Context()).granted(t, 0)
		w := a.readLater(t.Context())
		w.pending(t)
		_, err = a.RWMutex("x").TryRLock(t.Context())
		wantErr(t, err, holdgate.ErrBusy)
		mustRelease(t, write)
		mustRelease(t, w.granted(t, 0))
		wantNothingLeft(t, store)
	})
}

// A writer that became a reader keeps its place for itself: it was granted long ago.
func TestDowngradedIsNotJoined(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.writeLater(t.Context()).granted(t, 0)
		if err := h.Downgrade(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := p.reading(t, 1)[0]
		if r.PlaceID() == h.PlaceID() {
			t.Error("joined the place of a writer")
		}
		mustRelease(t, h)
		wantHeld(t, r)
		mustRelease(t, r)
		wantNothingLeft(t, store)
	})
}

// Close ends all who share a place, and those who wait for one.
func TestReadersClose(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		holds := a.reading(t, 3)
		w := b.writeLater(t.Context())
		w.pending(t)
		pass(holdgate.DefaultHandoffTime)
		late := a.readLater(t.Context())
		late.pending(t)
		if err := a.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		late.refused(t, 0, holdgate.ErrClosed)
		for _, h := range holds {
			wantErr(t, h.Err(), holdgate.ErrClosed)
		}
		a.readLater(t.Context()).refused(t, 0, holdgate.ErrClosed)
		mustRelease(t, w.granted(t, 0))
	})
}

// A reader that is not waited for may be joined until its release was told.
func TestReadersReleaseAsync(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		for range 10 {
			h := p.reading(t, 1)[0]
			if err := h.ReleaseAsync(); err != nil {
				t.Fatal(err)
			}
		}
		pass(0)
		wantNothingLeft(t, store)
	})
}
