package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func (p *proc) readLater(ctx context.Context) *attempt {
	return begin(func() (*holdgate.Hold, error) { return p.RWMutex("x").RLock(ctx) })
}

func (p *proc) writeLater(ctx context.Context) *attempt {
	return begin(func() (*holdgate.Hold, error) { return p.RWMutex("x").Lock(ctx) })
}

// A writer holds, a reader waits, then a writer: the reader gets in, then the writer.
func TestS50_ReaderThenWriter(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, c := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		first := a.writeLater(t.Context()).granted(t, 0)
		r := b.readLater(t.Context())
		r.pending(t)
		w := c.writeLater(t.Context())
		w.pending(t)
		mustRelease(t, first)
		read := r.granted(t, 0)
		w.pending(t)
		mustRelease(t, read)
		second := w.granted(t, 0)
		if second.Token() <= first.Token() || !second.Exclusive() || read.Exclusive() {
			t.Errorf("writers have the tokens %v and %v", first.Token(), second.Token())
		}
		mustRelease(t, second)
		wantNothingLeft(t, store)
	})
}

// Readers keep coming while a writer waits: it gets in after those ahead of it, and not
// after those behind.
func TestS51_WriterIsNotStarved(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		one, two := a.readLater(t.Context()).granted(t, 0), b.readLater(t.Context()).granted(t, 0)
		w := b.writeLater(t.Context())
		w.pending(t)
		pass(holdgate.DefaultHandoffTime) // so long it may be passed by who joins those who read
		var late []*attempt
		for range 5 {
			late = append(late, a.readLater(t.Context()), b.readLater(t.Context()))
			pass(time.Second)
		}
		_, err := a.RWMutex("x").TryRLock(t.Context())
		wantErr(t, err, holdgate.ErrBusy)
		mustRelease(t, one)
		w.pending(t)
		mustRelease(t, two)
		writes := w.granted(t, 0)
		for _, r := range late {
			r.pending(t)
		}
		mustRelease(t, writes)
		for _, r := range late {
			wantHeld(t, r.granted(t, 0)) // all of them share it
		}
		for _, r := range late {
			mustRelease(t, r.hold)
		}
		wantNothingLeft(t, store)
	})
}

// A writer becomes a reader while another writer waits: readers at the head share it, the
// writer waits on, and so do the readers behind it. The token stays.
func TestS52_Downgrade(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.writeLater(t.Context()).granted(t, 0)
		token := h.Token()
		ahead := b.readLater(t.Context())
		ahead.pending(t)
		w := b.writeLater(t.Context())
		w.pending(t)
		behind := a.readLater(t.Context())
		behind.pending(t)
		if err := h.Downgrade(t.Context()); err != nil {
			t.Fatal(err)
		}
		shares := ahead.granted(t, 0)
		w.pending(t)
		behind.pending(t)
		if h.Token() != token || h.Exclusive() {
			t.Errorf("token %v, exclusive %v; want %v, false", h.Token(), h.Exclusive(), token)
		}
		if err := h.Downgrade(t.Context()); err != nil {
			t.Errorf("once more: %v", err)
		}
		mustRelease(t, shares)
		pass(3 * ttl)
		w.pending(t)
		wantHeld(t, h)
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
		mustRelease(t, behind.granted(t, 0))
		wantNothingLeft(t, store)
	})
}

// The answer to a downgrade is lost, or the place was written just before: it is done all
// the same, and once.
func TestDowngradeIsRetried(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"answer lost":  {Lose: memdriver.LoseAnswer},
		"request lost": {Lose: memdriver.LoseRequest},
		"no answer":    {Lose: memdriver.LoseAnswer, Hang: true},
		"conflict":     {Err: driver.ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				h := a.writeLater(t.Context()).granted(t, 0)
				pass(2 * time.Second) // it is noted since when it holds
				a.faults.next(memdriver.OpUpdate, fault)
				if err := h.Downgrade(t.Context()); err != nil {
					t.Fatal(err)
				}
				mustRelease(t, b.readLater(t.Context()).granted(t, 0))
				if p := placesOf(store, "x"); len(p) != 1 || p[0].Units != 1 {
					t.Errorf("the line is %+v", p)
				}
				if line := lineOf(t, a, "x"); line.Places[0].Since.IsZero() {
					t.Error("it is not known any more since when it holds")
				}
				mustRelease(t, h)
			})
		})
	}
}

// Who may not downgrade is told so, and nothing changes.
func TestDowngradeRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		r := p.readLater(t.Context()).granted(t, 0)
		wantErr(t, r.Downgrade(t.Context()), holdgate.ErrInvalid)
		wantErr(t, p.mustLock(t, "mutex").Downgrade(t.Context()), holdgate.ErrInvalid)
		mustRelease(t, r)

		w := p.writeLater(t.Context()).granted(t, 0)
		mustRelease(t, w)
		wantErr(t, w.Downgrade(t.Context()), holdgate.ErrNotHeld)

		w = p.writeLater(t.Context()).granted(t, 0)
		store.RemovePlace("x", w.PlaceID())
		wantErr(t, w.Downgrade(t.Context()), holdgate.ErrLost)
		wantLost(t, w, holdgate.LostRemoved)
		if n := len(placesOf(store, "x")); n > 0 {
			t.Errorf("%d places: a downgrade has made one", n)
		}
	})
}

// While the store is away a downgrade goes on for one TTL of its caller's patience; the hold
// does not fence from then on.
func TestDowngradeGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		w := p.writeLater(t.Context()).granted(t, 0)
		lift := p.faults.always(memdriver.OpUpdate, memdriver.Fault{Err: errStoreDown})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantErr(t, w.Downgrade(ctx), context.DeadlineExceeded)
		begun := time.Now()
		wantErr(t, w.Downgrade(t.Context()), holdgate.ErrUnavailable)
		if took := time.Since(begun); took < ttl || took > ttl+2*time.Second {
			t.Errorf("gave up after %v", took)
		}
		wantHeld(t, w)
		if w.Exclusive() {
			t.Error("it may be shared by now, and says that it is exclusive")
		}
		lift()
		if err := w.Downgrade(t.Context()); err != nil {
			t.Error(err)
		}
		mustRelease(t, w)
	})
}

// A reader whose process is dead is not kept by another reader that lives: the writer gets in a TTL
// after, though that one has been renewed all the time.
func TestS08_DeadReader(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		dead, alive, c := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		dead.readLater(t.Context()).granted(t, 0)
		r := alive.readLater(t.Context()).granted(t, 0)
		other := alive.mustLock(t, "y")
		w := c.writeLater(t.Context())
		w.pending(t)
		dead.kill()
		mustRelease(t, r)
		w.pending(t)
		mustRelease(t, w.granted(t, ttl+time.Second))
		wantHeld(t, other)
	})
}

// 100 readers in three processes hold for 3 T: none is lost, each one releases cleanly.
func TestS56_ManyReaders(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		procs := []*proc{startProc(t, store, nil), startProc(t, store, strict()), startProc(t, store, nil)}
		var readers []*attempt
		for i := range 100 {
			readers = append(readers, procs[i%3].readLater(t.Context()))
		}
		tokens := make(map[holdgate.Token]bool)
		for _, r := range readers {
			tokens[r.granted(t, 0).Token()] = true
		}
		if len(tokens) != 100 {
			t.Errorf("%d tokens of 100 holds", len(tokens))
		}
		w := procs[0].writeLater(t.Context())
		pass(3 * ttl)
		w.pending(t)
		for _, r := range readers {
			wantHeld(t, r.hold)
			mustRelease(t, r.hold)
		}
		mustRelease(t, w.granted(t, 0))
		wantNothingLeft(t, store)
	})
}

// A second lock with the context of the first would wait for itself, a second read lock
// whenever a writer stands between the two.
func TestRWMutexDeadlock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.readLater(t.Context()).granted(t, 0)
		p.readLater(h.Context()).refused(t, 0, holdgate.ErrDeadlock)
		p.writeLater(h.Context()).refused(t, 0, holdgate.ErrDeadlock)
		mustRelease(t, p.readLater(t.Context()).granted(t, 0)) // with any other it may
		mustRelease(t, h)
	})
}

// A read/write lock and a mutex of one name exclude each other by an error, and so does a
// store that has no shared locks.
func TestRWMutexMismatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.readLater(t.Context()).granted(t, 0)
		for _, take := range []func(context.Context, string) *attempt{b.lockLater, b.tryLater} {
			take(t.Context(), "x").refused(t, 0, holdgate.ErrMismatch, holdgate.ErrNotAcquired)
		}
		wantHeld(t, h)
		mustRelease(t, h)
		m := b.mustLock(t, "x")
		a.readLater(t.Context()).refused(t, 0, holdgate.ErrMismatch)
		_, err := a.RWMutex("x").TryLock(t.Context())
		wantErr(t, err, holdgate.ErrMismatch)
		mustRelease(t, m)
		one := startOneKey(t, store)
		one.readLater(t.Context()).refused(t, 0, holdgate.ErrUnsupported)
		_, err = a.RWMutex("").RLock(t.Context())
		wantErr(t, err, holdgate.ErrInvalidName)
		wantNothingLeft(t, store)
	})
}

// Who waits behind a hold of its own process is told so too: each has a place of its own.
func TestOnWaitBehindOwnReader(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		log := newWaitLog()
		p := startProc(t, memdriver.NewStore(), &holdgate.Options{Owner: "p", OnWait: log.add})
		r := p.readLater(t.Context()).granted(t, 0)
		w := p.writeLater(t.Context())
		log.want(t, "0s: x behind 1, held by p, waited 0s")
		mustRelease(t, r)
		mustRelease(t, w.granted(t, 0))
	})
}
