package holdgate_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// immortal is a driver as the one for files is: its sessions do not expire by time.
type immortal struct{ *memdriver.Driver }

// immortalSession is one of its sessions.
type immortalSession struct{ driver.Session }

func (immortalSession) TTL() time.Duration { return 0 }

func (d immortal) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	o.TTL = 1 << 62
	s, err := d.Driver.Open(ctx, o)
	return immortalSession{s}, err
}

func (d immortal) Line(ctx context.Context, name string) (driver.Line, error) {
	l, err := d.Driver.Line(ctx, name)
	withoutTTL(l)
	return l, err
}

func (d immortal) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		for s, err := range d.Driver.Watch(ctx, q) {
			for _, l := range s.Lines {
				withoutTTL(l)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func withoutTTL(l driver.Line) {
	for i := range l.Places {
		l.Places[i].TTL = 0
	}
}

// startImmortal starts a process on such a driver.
func startImmortal(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
	p.open(t, immortal{p.drv}, nil)
	return p
}

// A session that does not expire by time is not lost by time either: it outlives any
// outage, and any pause of its process.
func TestImmortalSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startImmortal(t, store), startImmortal(t, store)
		h := p.mustLock(t, "x")
		p.drv.SetLink(memdriver.LinkRefuses)
		pass(10 * ttl)
		wantHeld(t, h)
		p.drv.SetLink(memdriver.LinkUp)
		p.clock.Pause()
		pass(10 * ttl)
		p.clock.Resume()
		wantHeld(t, h)
		w := other.lockLater(t.Context(), "x")
		w.pending(t)
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 0))
	})
}

// Many processes may wait for one lock of a machine: while they hold nothing, their
// sessions are hardly ever renewed, and a waiter that is evicted is told all the same.
func TestImmortalWaitsQuietly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		holder, p := startImmortal(t, store), startImmortal(t, store)
		h := holder.mustLock(t, "x")
		w := p.lockLater(t.Context(), "x")
		pass(10 * time.Minute)
		w.pending(t)
		if n := p.faults.count(memdriver.OpRenew); n > 5 {
			t.Errorf("renewed %d times in 10 minutes; want once in two at most", n)
		}
		if n := p.faults.total(); n > 15 {
			t.Errorf("%d calls in 10 minutes", n)
		}
		if err := holder.Evict(t.Context(), "x", placesOf(store, "x")[1].ID, holdgate.Eviction{}); err != nil {
			t.Fatal(err)
		}
		w.refused(t, 0, holdgate.ErrNotAcquired)
		mustRelease(t, h)
	})
}

// A holder is asked to go within a quarter of a TTL, also if its process did nothing
// for long before it held.
func TestImmortalEvictedAfterRest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, admin := startImmortal(t, store), startImmortal(t, store)
		for range 3 {
			h := p.mustLock(t, "x")
			answer := admin.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{})
			pass(2 * renewEvery)
			wantLost(t, h, holdgate.LostEvicted)
			wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
			if err := <-answer; err != nil {
				t.Error(err)
			}
			pass(100 * time.Second)
		}
	})
}

// What a Close could not give back is the process's as long as it lives.
func TestImmortalCloseFails(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startImmortal(t, memdriver.NewStore())
		p.mustLock(t, "x")
		p.drv.SetLink(memdriver.LinkRefuses)
		p.killed = true
		err := p.Close(t.Context())
		wantErr(t, err, holdgate.ErrUnavailable)
		if want := "close: the store frees what was held when this process ends: "; err.Error()[:len(want)] != want {
			t.Errorf("got %q", err)
		}
	})
}
