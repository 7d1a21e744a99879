package holdgate_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// entering is an Enter under way.
type entering struct {
	done  chan struct{}
	party *holdgate.Party
	err   error
}

func (p *proc) enterLater(ctx context.Context, parties int64) *entering {
	e := &entering{done: make(chan struct{})}
	go func() { // ends with the call; the bubble waits for it
		defer close(e.done)
		e.party, e.err = p.Barrier("x", parties).Enter(ctx)
	}()
	return e
}

func (e *entering) pending(t testing.TB) {
	t.Helper()
	synctest.Wait()
	select {
	case <-e.done:
		t.Fatalf("entered: %v", e.err)
	default:
	}
}

func (e *entering) entered(t testing.TB) *holdgate.Party {
	t.Helper()
	synctest.Wait()
	select {
	case <-e.done:
	default:
		t.Fatal("has not entered")
	}
	if e.err != nil {
		t.Fatalf("enter: %v", e.err)
	}
	return e.party
}

func leaveLater(ctx context.Context, p *holdgate.Party) <-chan error {
	left := make(chan error, 1)
	go func() { left <- p.Leave(ctx) }() // ends with the call; the bubble waits for it
	return left
}

// All parties begin together and end together.
func TestBarrier(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		one, two := a.enterLater(t.Context(), 3), b.enterLater(t.Context(), 3)
		pass(3 * ttl)
		one.pending(t)
		two.pending(t)
		three := b.enterLater(t.Context(), 3)
		first, second, third := one.entered(t), two.entered(t), three.entered(t)
		left := []<-chan error{leaveLater(t.Context(), first), leaveLater(t.Context(), second)}
		pass(3 * ttl)
		if len(left[0])+len(left[1]) > 0 {
			t.Error("one has left before all were done")
		}
		left = append(left, leaveLater(t.Context(), third))
		pass(time.Second)
		for _, l := range left {
			if err := <-l; err != nil {
				t.Error(err)
			}
		}
		wantErr(t, first.Leave(t.Context()), holdgate.ErrNotHeld)
		wantErr(t, first.Err(), holdgate.ErrNotHeld)
		wantNothingLeft(t, store)
	})
}

// Who comes when a round has begun belongs to the next one, also while the first is not over.
func TestBarrierRounds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		one, two := p.enterLater(t.Context(), 2), p.enterLater(t.Context(), 2)
		first, second := one.entered(t), two.entered(t)
		three := p.enterLater(t.Context(), 2)
		pass(time.Minute)
		three.pending(t)
		four := p.enterLater(t.Context(), 2)
		third, fourth := three.entered(t), four.entered(t)
		// The second round ends before the first.
		later := leaveLater(t.Context(), third)
		if err := fourth.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-later; err != nil {
			t.Error(err)
		}
		later = leaveLater(t.Context(), first)
		synctest.Wait()
		if len(later) > 0 {
			t.Error("left while another of its round was at work")
		}
		if err := second.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-later; err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, store)
	})
}

// Three processes meet a thousand times over a rough network: nobody begins a round before
// all have ended the one before.
func TestBarrierAgainAndAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		d := newDicePair(3)
		rounds := int64(scaled(1000, 200))
		var steps [3]atomic.Int64
		var parties sync.WaitGroup
		procs := []*proc{startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)}
		for i, p := range procs {
			p.faults.ask("", d.rough)
			parties.Go(func() {
				for round := range rounds {
					steps[i].Store(round)
					if err := p.Barrier("x", 3).Wait(t.Context()); err != nil {
						t.Errorf("round %d: %v", round, err)
						return
					}
					for other := range steps {
						if at := steps[other].Load(); at < round {
							t.Errorf("round %d has begun while party %d is in %d", round, other, at)
						}
					}
				}
			})
		}
		parties.Wait()
		for _, p := range procs {
			p.faults.clear()
		}
		pass(2 * ttl)
		wantNothingLeft(t, store)
	})
}

// A party is slow to see that the round has begun, and another has called Leave, been killed
// or gone on by then: it begins all the same.
func TestBarrierSlowParty(t *testing.T) {
	for name, then := range map[string]func(t *testing.T, p *proc, first *holdgate.Party){
		"leaves": func(t *testing.T, _ *proc, first *holdgate.Party) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			wantErr(t, first.Leave(ctx), context.DeadlineExceeded)
		},
		"killed": func(_ *testing.T, p *proc, _ *holdgate.Party) { p.kill() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				slow := b.enterLater(t.Context(), 2)
				slow.pending(t)
				b.faults.next(memdriver.OpPush, memdriver.Fault{AnswerDelay: ttl / 2})
				first := a.enterLater(t.Context(), 2).entered(t)
				slow.pending(t)
				then(t, a, first)
				pass(ttl / 2)
				second := slow.entered(t)
				pass(2 * ttl) // what is left of the other is gone
				if err := second.Leave(t.Context()); err != nil {
					t.Error(err)
				}
				wantNothingLeft(t, store)
			})
		})
	}
}

// One that waits and one that is at work die: the others do not wait for them for ever.
func TestBarrierOfTheDead(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, c := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		c.enterLater(t.Context(), 3).pending(t)
		c.kill()
		pass(ttl)
		one, two := a.enterLater(t.Context(), 3), b.enterLater(t.Context(), 3)
		pass(ttl)
		one.pending(t) // the dead do not count
		two.pending(t)
		three := a.enterLater(t.Context(), 3)
		first, third := one.entered(t), three.entered(t)
		two.entered(t)
		b.kill()
		left := leaveLater(t.Context(), first)
		if err := third.Leave(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-left; err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, store)
	})
}

// A wait is bounded by its context, and leaves nothing; a party whose session is lost is told.
func TestBarrierGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		_, err := p.Barrier("x", 2).Enter(ctx)
		wantErr(t, err, holdgate.ErrNotAcquired, context.DeadlineExceeded)
		if took := time.Since(begun); took > time.Second+50*time.Millisecond {
			t.Errorf("gave up after %v", took)
		}
		pass(time.Second)
		wantNothingLeft(t, store)
		waits := p.enterLater(t.Context(), 2)
		waits.pending(t)
		store.ExpireSession(store.Sessions()[0])
		pass(renewEvery)
		<-waits.done
		wantErr(t, waits.err, holdgate.ErrNotAcquired, holdgate.ErrLost)

		alone, err := p.Barrier("x", 1).Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		store.RemovePlace("x", placesOf(store, "x")[0].ID)
		pass(ttl)
		wantErr(t, alone.Err(), holdgate.ErrLost)
		wantErr(t, context.Cause(alone.Context()), holdgate.ErrLost)
		wantErr(t, alone.Leave(t.Context()), holdgate.ErrLost)
	})
}

// Bad input, another number of parties, a store that cannot: an error, and nothing changes.
func TestS46_Parties(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		for _, parties := range []int64{0, -1, driver.MaxCapacity + 1} {
			_, err := a.Barrier("x", parties).Enter(t.Context())
			wantErr(t, err, holdgate.ErrInvalid)
			wantErr(t, a.Barrier("x", parties).Wait(t.Context()), holdgate.ErrInvalid)
		}
		_, err := a.Barrier("", 2).Enter(t.Context())
		wantErr(t, err, holdgate.ErrInvalidName)
		wantErr(t, startOneKey(t, store).Barrier("x", 2).Wait(t.Context()), holdgate.ErrUnsupported)
		ctx, cancel := context.WithCancel(t.Context())
		waits := a.enterLater(ctx, 2)
		waits.pending(t)
		_, err = b.Barrier("x", 3).Enter(t.Context())
		wantErr(t, err, holdgate.ErrMismatch)
		b.lockLater(t.Context(), "x").refused(t, 0, holdgate.ErrMismatch)
		waits.pending(t)
		cancel()
		<-waits.done
		if !errors.Is(waits.err, context.Canceled) {
			t.Error(waits.err)
		}
	})
}
