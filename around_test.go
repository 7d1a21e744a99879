package holdgate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// under returns what the last place of a line tells to be held around the waits for it.
func under(t *testing.T, p *proc, name string) []string {
	t.Helper()
	places := lineOf(t, p, name).Places
	return strings.Fields(places[len(places)-1].Under)
}

func wantUnder(t *testing.T, p *proc, name string, want ...string) {
	t.Helper()
	if got := under(t, p, name); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s tells %q; want %q", name, got, want)
	}
}

// Who waits inside of a hold tells so, whatever it waits for: once the wait lasts, and until it ends.
func TestUnder(t *testing.T) {
	takes := map[string]func(c *holdgate.Client, ctx context.Context) (*holdgate.Hold, error){
		"mutex":  func(c *holdgate.Client, ctx context.Context) (*holdgate.Hold, error) { return c.Mutex("y").Lock(ctx) },
		"writer": func(c *holdgate.Client, ctx context.Context) (*holdgate.Hold, error) { return c.RWMutex("y").Lock(ctx) },
		"semaphore": func(c *holdgate.Client, ctx context.Context) (*holdgate.Hold, error) {
			return c.Semaphore("y", 1).Acquire(ctx, 1)
		},
		"several": func(c *holdgate.Client, ctx context.Context) (*holdgate.Hold, error) { return c.LockAll(ctx, "y") },
	}
	for name, take := range takes {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p, other := startProc(t, store, nil), startProc(t, store, nil)
				held, err := take(other.Client, t.Context())
				if err != nil {
					t.Fatal(err)
				}
				outer, err := p.LockAll(t.Context(), "a", "b")
				if err != nil {
					t.Fatal(err)
				}
				inner := begin(func() (*holdgate.Hold, error) { return take(p.Client, outer.Context()) })
				inner.pending(t)
				wantUnder(t, p, "y")
				pass(2 * time.Second)
				wantUnder(t, p, "y", outer.PlaceIDFor("a"), outer.PlaceIDFor("b"))
				updates := p.faults.count(memdriver.OpUpdate)
				pass(time.Minute)
				if n := p.faults.count(memdriver.OpUpdate) - updates; n > 2 { // the outer ones tell since when
					t.Errorf("%d updates while nothing changed", n)
				}
				mustRelease(t, held)
				h := inner.granted(t, time.Second)
				pass(3 * time.Second)
				wantUnder(t, p, "y")
				if since := lineOf(t, p, "y").Places[0].Since; since.IsZero() {
					t.Error("it does not tell since when it is held")
				}
				mustRelease(t, h)
			})
		})
	}
}

// The goroutines of one process have one place. It tells of all of them, also of those that wait for
// another goroutine, and of nobody who gave up.
func TestUnderOfOneProcess(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		a, b, y := p.mustLock(t, "a"), p.mustLock(t, "b"), p.mustLock(t, "y")
		ctx, giveUp := context.WithCancel(a.Context())
		first := p.lockLater(ctx, "y")
		first.pending(t)
		second := p.lockLater(b.Context(), "y")
		second.pending(t)
		pass(3 * time.Second)
		wantUnder(t, p, "y", a.PlaceID(), b.PlaceID())
		giveUp()
		first.refused(t, 0, context.Canceled)
		pass(2 * time.Second)
		wantUnder(t, p, "y", b.PlaceID())
		mustRelease(t, y)
		mustRelease(t, second.granted(t, time.Second))
	})
}

// A process that runs inside of other holds says so, and nothing is told by who nests nothing.
func TestUnderOfOptions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		outer := startProc(t, store, nil)
		a, y := outer.mustLock(t, "a"), outer.mustLock(t, "y")
		inner := startProc(t, store, &holdgate.Options{Under: []string{a.PlaceID()}})
		plain := startProc(t, store, nil)
		within := inner.lockLater(t.Context(), "y")
		pass(2 * time.Second)
		wantUnder(t, outer, "y", a.PlaceID())
		alone := plain.lockLater(t.Context(), "y")
		pass(2 * time.Second)
		wantUnder(t, outer, "y")
		if n := plain.faults.count(memdriver.OpUpdate); n != 0 {
			t.Errorf("a wait that nests nothing cost %d updates", n)
		}
		mustRelease(t, y)
		mustRelease(t, within.granted(t, time.Second))
		mustRelease(t, alone.granted(t, time.Second))
	})
}

// What is told survives an outage, and does no harm to the wait.
func TestUnderIsToldAgain(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"unavailable": {Err: errStoreDown},
		"answer lost": {Lose: memdriver.LoseAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p, other := startProc(t, store, nil), startProc(t, store, nil)
				y := other.mustLock(t, "y")
				outer := p.mustLock(t, "a")
				pass(2 * time.Second) // it told since when it is held
				p.faults.next(memdriver.OpUpdate, fault)
				inner := p.lockLater(outer.Context(), "y")
				pass(10 * time.Second)
				wantUnder(t, p, "y", outer.PlaceID())
				mustRelease(t, y)
				mustRelease(t, inner.granted(t, time.Second))
			})
		})
	}
}
