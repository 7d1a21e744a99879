package recipes_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// scenarios are those of docs/scenarios.md that need no fault but a death, or somebody who removes a
// place, by the names that they have there.
func scenarios() map[string]func(t *testing.T, open opener) {
	return map[string]func(t *testing.T, open opener){
		"S07 new sessions at once":   newSessionsAtOnce,
		"S13 evicted":                evicted,
		"S20 release after loss":     releaseAfterLoss,
		"S34 short TTL":              shortTTL,
		"S50 reader then writer":     readerThenWriter,
		"S51 writer is not starved":  writerIsNotStarved,
		"S55 two names":              twoNames,
		"S56 held for long":          heldForLong,
		"S57 leader killed":          leaderKilled,
		"S60 resigns after the work": resignsAfterTheWork,
	}
}

// long is a TTL that nobody loses on a busy machine.
const long = 6 * time.Second

func newSessionsAtOnce(t *testing.T, open opener) {
	name := t.Name()
	for range 5 {
		a, b := open.start(t), open.start(t)
		var tries [2]*taking
		for i, p := range []*process{a, b} {
			tries[i] = begin(func() (*holdgate.Hold, error) {
				lead, err := p.Election(name).TryCampaign(t.Context(), "me")
				if err != nil {
					return nil, err
				}
				return lead.Hold, nil
			})
		}
		var leads []*holdgate.Hold
		for _, try := range tries {
			<-try.done
			switch {
			case try.err == nil:
				leads = append(leads, try.hold)
			case !errors.Is(try.err, holdgate.ErrBusy):
				t.Fatal(try.err)
			}
		}
		if len(leads) > 1 || len(leads) == 0 && !a.Features().TryMayFailSpuriously {
			t.Fatalf("%d lead", len(leads))
		}
		for _, h := range leads {
			release(t, h)
		}
	}
}

// ended waits for the end of a hold, and returns why it was lost.
func ended(t *testing.T, h *holdgate.Hold) holdgate.LostReason {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(soon):
		t.Fatal("it is not told")
	}
	lost, ok := errors.AsType[*holdgate.LostError](context.Cause(h.Context()))
	if !ok {
		t.Fatalf("it ended by %v", context.Cause(h.Context()))
	}
	return lost.Reason
}

func evicted(t *testing.T, open opener) {
	a, b, name := open.startFor(t, long), open.startFor(t, long), t.Name()
	h, err := a.Mutex(name).Lock(t.Context())
	succeed(t, err)
	gone := make(chan error, 1)
	go func() { // ends with the eviction
		ctx, stop := context.WithTimeout(t.Context(), soon)
		defer stop()
		gone <- b.Evict(ctx, name, h.PlaceID(), holdgate.Eviction{Reason: "maintenance"})
	}()
	if why := ended(t, h); why != holdgate.LostEvicted {
		t.Errorf("told %q", why)
	}
	wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
	succeed(t, <-gone)
	inLine(t, b, name, 0)
}

func releaseAfterLoss(t *testing.T, open opener) {
	a, b, name := open.startFor(t, long), open.startFor(t, long), t.Name()
	h, err := a.Mutex(name).Lock(t.Context())
	succeed(t, err)
	succeed(t, b.Evict(t.Context(), name, h.PlaceID(), holdgate.Eviction{Force: true}))
	next, err := b.Mutex(name).Lock(t.Context())
	succeed(t, err)
	ended(t, h)
	wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
	succeed(t, next.Verify(t.Context()))
	again := begin(func() (*holdgate.Hold, error) { return a.Mutex(name).Lock(t.Context()) })
	again.waits(t, b, name, 2)
	release(t, next)
	release(t, again.granted(t))
	inLine(t, a, name, 0)
}

// shortTTL: who has the shortest TTL that there is waits for ten of them, and is granted.
func shortTTL(t *testing.T, open opener) {
	a, name := open.start(t), t.Name()
	short := max(holdgate.MinTTL, a.Features().MinTTL)
	b := open.startFor(t, short)
	h, err := a.Mutex(name).Lock(t.Context())
	succeed(t, err)
	waiter := begin(func() (*holdgate.Hold, error) { return b.Mutex(name).Lock(t.Context()) })
	waiter.waits(t, a, name, 2)
	time.Sleep(10 * short) // it is all about the time
	waiter.waits(t, a, name, 2)
	release(t, h)
	release(t, waiter.granted(t))
	inLine(t, a, name, 0)
}

func readerThenWriter(t *testing.T, open opener) {
	a, b, c, name := open.start(t), open.start(t), open.start(t), t.Name()
	h, err := a.RWMutex(name).Lock(t.Context())
	succeed(t, err)
	reader := begin(func() (*holdgate.Hold, error) { return b.RWMutex(name).RLock(t.Context()) })
	reader.waits(t, a, name, 2)
	writer := begin(func() (*holdgate.Hold, error) { return c.RWMutex(name).Lock(t.Context()) })
	writer.waits(t, a, name, 3)
	release(t, h)
	read := reader.granted(t)
	writer.waits(t, a, name, 2)
	release(t, read)
	release(t, writer.granted(t))
	inLine(t, a, name, 0)
}

// writerIsNotStarved: there is always a reader, and a writer gets in nevertheless.
func writerIsNotStarved(t *testing.T, open opener) {
	a, b, w, name := open.start(t), open.start(t), open.start(t), t.Name()
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for _, p := range []*process{a, b, a, b} {
		readers.Go(func() { // ends with ctx
			for ctx.Err() == nil {
				h, err := p.RWMutex(name).RLock(ctx)
				if err != nil {
					continue
				}
				time.Sleep(5 * time.Millisecond) // it reads
				_ = h.Release(context.WithoutCancel(ctx))
			}
		})
	}
	for range 5 {
		writer := begin(func() (*holdgate.Hold, error) { return w.RWMutex(name).Lock(t.Context()) })
		release(t, writer.granted(t))
	}
	stop()
	readers.Wait()
	inLine(t, a, name, 0)
}

// twoNames: two that want the same locks in another order, and give up now and then.
func twoNames(t *testing.T, open opener) {
	x, y := t.Name()+"/x", t.Name()+"/y"
	var workers sync.WaitGroup
	p := open.start(t)
	for n, names := range [][]string{{x, y}, {y, x}} {
		q := open.start(t)
		dice := rand.New(rand.NewPCG(55, uint64(n)))
		workers.Go(func() { // ends with its rounds
			for range 30 {
				ctx, stop := context.WithTimeout(t.Context(), soon)
				if dice.IntN(3) == 0 {
					ctx, stop = context.WithTimeout(t.Context(), time.Duration(dice.IntN(5_000))*time.Microsecond)
				}
				h, err := q.LockAll(ctx, names...)
				stop()
				switch {
				case err == nil:
					if err = h.Release(t.Context()); err != nil {
						t.Error(err)
					}
				case !errors.Is(err, context.DeadlineExceeded):
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	inLine(t, p, x, 0)
	inLine(t, p, y, 0)
}

// heldForLong: a hundred readers, a permit and a lock that was waited for with a context of a second
// are held for three TTLs (also S33 and S53), and released cleanly.
func heldForLong(t *testing.T, open opener) {
	a, b, name := open.startFor(t, long), open.startFor(t, long), t.Name()
	var holds []*holdgate.Hold
	for n := range 100 {
		h, err := []*process{a, b}[n%2].RWMutex(name + "/rw").RLock(t.Context())
		succeed(t, err)
		holds = append(holds, h)
	}
	permit, err := a.Semaphore(name+"/permits", 2).Acquire(t.Context(), 1)
	succeed(t, err)
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	lock, err := b.Mutex(name + "/lock").Lock(ctx)
	if errors.Is(err, context.DeadlineExceeded) { // the machine was too busy for a second
		lock, err = b.Mutex(name + "/lock").Lock(t.Context())
	}
	succeed(t, err)
	holds = append(holds, permit, lock)
	over := time.After(3 * long)
	for _, h := range holds {
		select {
		case <-h.Done():
			t.Fatalf("%s: %v", h.Name(), context.Cause(h.Context()))
		case <-over:
			over = closed()
		}
	}
	for _, h := range holds {
		release(t, h)
	}
	inLine(t, a, name+"/rw", 0)
}

// closed is a time that is over.
func closed() <-chan time.Time {
	over := make(chan time.Time)
	close(over)
	return over
}

func leaderKilled(t *testing.T, open opener) {
	a, observer, name := open.start(t), open.start(t), t.Name()
	_, err := a.Election(name).Campaign(t.Context(), "first")
	succeed(t, err)
	var next []*taking
	for n, value := range []string{"second", "third"} {
		p := open.start(t)
		next = append(next, begin(func() (*holdgate.Hold, error) {
			lead, err := p.Election(name).Campaign(t.Context(), value)
			if err != nil {
				return nil, err
			}
			return lead.Hold, nil
		}))
		next[n].waits(t, observer, name, n+2)
	}
	a.kill()
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	for leader, err := range observer.Election(name).Observe(ctx) {
		succeed(t, err)
		if leader.Value == "second" {
			break
		}
	}
	second := next[0].granted(t)
	next[1].waits(t, observer, name, 2)
	release(t, second)
	release(t, next[1].granted(t))
	inLine(t, observer, name, 0)
}

// resignsAfterTheWork: nobody else leads before the leader's function has returned.
func resignsAfterTheWork(t *testing.T, open opener) {
	a, b, name := open.start(t), open.start(t), t.Name()
	ctx, stop := context.WithCancel(t.Context())
	err := a.Election(name).Run(ctx, "one", func(ctx context.Context, _ *holdgate.Leadership) error {
		stop()
		<-ctx.Done()
		_, err := b.Election(name).TryCampaign(context.WithoutCancel(ctx), "two")
		wantErr(t, err, holdgate.ErrBusy)
		return nil
	})
	wantErr(t, err, context.Canceled)
	inLine(t, b, name, 0)
}
