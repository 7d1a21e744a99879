package holdgate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// oneKey is a driver of the layout in which a lock is one key: Enter itself waits until
// it is free.
type oneKey struct{ *memdriver.Driver }

func (d oneKey) Features() driver.Features {
	f := d.Driver.Features()
	f.Layout, f.Fair, f.Shared = driver.LayoutSingle, false, false
	return f
}

func (d oneKey) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	s, err := d.Driver.Open(ctx, o)
	return oneKeySession{s, d.Driver}, err
}

type oneKeySession struct {
	driver.Session
	drv *memdriver.Driver
}

func (s oneKeySession) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	waits := !c.Try
	c.Try = true
	for {
		p, err := s.Session.Enter(ctx, c)
		if !waits || !errors.Is(err, driver.ErrBusy) {
			return p, err
		}
		for snapshot, err := range s.drv.Watch(ctx, driver.Query{Name: c.Line}) {
			if err != nil {
				return driver.Place{}, err
			}
			if len(snapshot.Lines) == 0 || len(snapshot.Lines[0].Places) == 0 {
				break
			}
		}
	}
}

func startOneKey(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
	p.open(t, oneKey{p.drv}, nil)
	return p
}

// An Enter that waits by itself and one that hangs look the same. Both are ended in time
// and repeated: the one loses nothing, since nobody stands in line, and the other one gets
// an answer.
func TestSingleHungEnter(t *testing.T) {
	eachLoss(t, func(t *testing.T, fault memdriver.Fault) {
		store := memdriver.NewStore()
		p := startOneKey(t, store)
		p.warm(t)
		p.faults.next(memdriver.OpEnter, fault)
		mustRelease(t, p.lockLater(t.Context(), "x").granted(t, ttl/2+time.Second))
		wantNothingLeft(t, store)
	})
}

// Waiting for one's turn is no outage, however long it takes.
func TestSingleLongWait(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p, other := startOneKey(t, store), startOneKey(t, store)
		h := other.mustLock(t, "x")
		w := p.lockLater(t.Context(), "x")
		pass(20 * ttl)
		w.pending(t)
		mustRelease(t, h)
		mustRelease(t, w.granted(t, 100*time.Millisecond))
		wantNothingLeft(t, store)
	})
}
