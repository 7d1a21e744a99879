package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// scaled is the size of a long scenario: full in `make soak` and where nothing makes it
// slow, else a part.
func scaled(full, part int) int {
	if soaking() || !underRace {
		return full
	}
	return part
}

// soaking reports whether long scenarios shall be run at full size.
func soaking() bool { return os.Getenv("HOLDGATE_SOAK") == "1" }

// dice may be thrown by many goroutines.
type dice struct {
	mu   sync.Mutex
	rand *rand.Rand
}

func newDicePair(seed uint64) *dice { return &dice{rand: rand.New(rand.NewPCG(seed, seed))} }

// in returns a duration from 0 to d.
func (d *dice) in(most time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Duration(d.rand.Int64N(int64(most) + 1))
}

// one reports true once in n times.
func (d *dice) one(n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.IntN(n) == 0
}

func (d *dice) pick(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.IntN(n)
}

// rough is a network that delays, loses and duplicates, and lets calls overtake one
// another. Renewals suffer as everything does.
func (d *dice) rough(memdriver.Call) memdriver.Fault {
	f := memdriver.Fault{Delay: d.in(2 * time.Millisecond), AnswerDelay: d.in(2 * time.Millisecond)}
	switch d.pick(20) {
	case 0:
		f.Lose = memdriver.LoseRequest
	case 1:
		f.Lose = memdriver.LoseAnswer
	case 2:
		f.Delay, f.Stray = d.in(time.Second), true
	case 3:
		f.WakeEarly = true
	}
	return f
}

// 10,000 acquire, cancel and release in random order, over a rough network: one holder
// at a time, and one T later no entry and no renewal is left.
func TestS25_RandomInterleavings(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const workers = 20
		store := memdriver.NewStore()
		d := newDicePair(25)
		procs := []*proc{
			startProc(t, store, nil), startProc(t, store, strict()),
			startProc(t, store, &holdgate.Options{Handoff: holdgate.Handoff{Grants: 2}}),
		}
		for _, p := range procs {
			p.faults.ask("", d.rough)
		}
		rooms := make([]room, 4)
		rounds := scaled(10000, 2000) / (workers * len(procs))
		var wg sync.WaitGroup
		for _, p := range procs {
			for range workers {
				wg.Go(func() {
					for range rounds {
						n := d.pick(len(rooms))
						interleave(t, p, d, fmt.Sprint("x", n), &rooms[n])
						time.Sleep(d.in(5 * time.Millisecond))
					}
				})
			}
		}
		wg.Wait()
		for i := range rooms {
			rooms[i].mu.Lock()
			visits := rooms[i].visits
			rooms[i].mu.Unlock()
			rooms[i].want(t, visits)
			if visits < rounds {
				t.Errorf("%d visits of %d: this run shows nothing", visits, i)
			}
		}
		for _, p := range procs {
			p.faults.clear()
		}
		pass(ttl)
		wantNothingLeft(t, store)
		for _, p := range procs {
			if l, o := p.LocalLines(), p.OwnPlaces(); l+o > 0 {
				t.Errorf("%d local lines and %d places left", l, o)
			}
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		wantSilence(t, store, procs...)
	})
}

// wantSilence checks that the store has no session, and that nobody asks it anything.
func wantSilence(t testing.TB, store *memdriver.Store, procs ...*proc) {
	t.Helper()
	if n := len(store.Sessions()); n > 0 {
		t.Errorf("%d sessions left", n)
	}
	before := 0
	for _, p := range procs {
		before += p.faults.total()
	}
	pass(10 * ttl)
	for _, p := range procs {
		before -= p.faults.total()
	}
	if before != 0 {
		t.Errorf("%d calls after the end", -before)
	}
}

// interleave takes the lock in some way, gives up at some moment, and releases in some
// way, if it comes to that.
func interleave(t testing.TB, p *proc, d *dice, name string, r *room) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if d.one(2) {
		patience := time.AfterFunc(d.in(20*time.Millisecond), cancel)
		defer patience.Stop()
	}
	take := p.Mutex(name).Lock
	if d.one(3) {
		take = p.Mutex(name).TryLock
	}
	h, err := take(ctx)
	if (h == nil) == (err == nil) {
		t.Errorf("a hold and an error, or neither: %v, %v", h, err)
		return
	}
	if err != nil {
		if !errors.Is(err, holdgate.ErrBusy) && !errors.Is(err, context.Canceled) {
			t.Errorf("take: %v", err)
		}
		return
	}
	if h.Err() != nil {
		t.Errorf("granted, and %v", h.Err())
		return
	}
	r.enter(h.Token())
	time.Sleep(d.in(3 * time.Millisecond))
	r.leave()
	done, stop := context.WithCancel(context.Background())
	defer stop()
	if d.one(3) {
		time.AfterFunc(d.in(3*time.Millisecond), stop)
	}
	if err := h.Release(done); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("release: %v", err)
	}
}

// Who takes (x,y) and who takes (y,x), each in the order of names, with random
// cancels: no deadlock, and nothing is left. (All or nothing comes with LockAll.)
func TestS55_TwoNames(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		d := newDicePair(55)
		procs := []*proc{startProc(t, store, nil), startProc(t, store, strict())}
		var wg sync.WaitGroup
		for _, p := range procs {
			for range 4 {
				wg.Go(func() {
					for range scaled(1000, 200) / 4 {
						both(t, p, d)
					}
				})
			}
		}
		wg.Wait()
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// both takes x and y, unless it is cancelled.
func both(t testing.TB, p *proc, d *dice) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if d.one(3) {
		time.AfterFunc(d.in(5*time.Millisecond), cancel)
	}
	for _, name := range []string{"x", "y"} {
		h, err := p.Mutex(name).Lock(ctx)
		if err != nil {
			wantCancelled(t, err)
			return
		}
		defer func() {
			if err := h.Release(context.Background()); err != nil {
				t.Errorf("release %s: %v", name, err)
			}
		}()
		time.Sleep(d.in(time.Millisecond))
	}
}

func wantCancelled(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) || !errors.Is(err, holdgate.ErrNotAcquired) {
		t.Errorf("got %v; want that it was cancelled", err)
	}
}
