package zk_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// witness knows who holds, and asks them all whether they believe it.
type witness struct {
	t *testing.T

	mu    sync.Mutex
	holds map[*holdgate.Hold]struct{}
	last  holdgate.Token
	turns int
}

// enter notes a hold. Tokens rise over all who believed when they were noted.
func (w *witness) enter(h *holdgate.Hold) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other := range w.holds {
		if other.Err() == nil && h.Err() == nil {
			w.t.Errorf("two believe that they hold: tokens %v and %v", other.Token(), h.Token())
		}
	}
	if h.Err() == nil {
		if h.Token() <= w.last {
			w.t.Errorf("got the token %v after %v", h.Token(), w.last)
		}
		w.last = h.Token()
		w.turns++
	}
	w.holds[h] = struct{}{}
}

func (w *witness) leave(h *holdgate.Hold) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.holds, h)
}

// Servers are killed, stopped and cut off, one after the other. At no moment do two believe
// that they hold, tokens rise, and the lock goes on from hand to hand.
func TestHoldsUnderFaults(t *testing.T) {
	t.Parallel()
	n := zkserver.NewNetwork(t)
	e := zkserver.Start(t, 3, zkserver.Config{Peer: n.Peer})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w := &witness{t: t, holds: make(map[*holdgate.Hold]struct{})}
	var workers sync.WaitGroup
	for range 4 {
		_, c := process(t, e.Addresses(), zkdriver.Options{}, 8*zkserver.Tick)
		workers.Go(func() { w.work(ctx, c) })
	}
	rng := rand.New(rand.NewPCG(3, 5))
	for round := range 6 {
		before := w.count()
		hurt(t, e, n, round, rng.IntN(len(e.Servers)))
		during := w.count()
		began := time.Now()
		w.awaitTurns(during+8, e)
		t.Logf("fault %d: %d turns meanwhile, goes on %v later", round, during-before, time.Since(began))
	}
	stop()
	workers.Wait()
	if turns := w.count(); turns < 20 {
		t.Errorf("the lock went from hand to hand %d times, want more", turns)
	}
}

// awaitTurns waits until all is well again.
func (w *witness) awaitTurns(n int, e *zkserver.Ensemble) {
	w.t.Helper()
	for ctx := bounded(w.t); w.count() < n; time.Sleep(50 * time.Millisecond) {
		if ctx.Err() != nil {
			var modes []string
			for _, s := range e.Servers {
				modes = append(modes, s.Mode())
			}
			w.t.Fatalf("the lock does not go on from hand to hand; the servers are %q", modes)
		}
	}
}

func (w *witness) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.turns
}

// work takes the lock again and again, for long enough that a loss falls into it now and then.
func (w *witness) work(ctx context.Context, c *holdgate.Client) {
	for ctx.Err() == nil {
		h, err := c.Mutex("orders").Lock(ctx)
		if err != nil {
			continue // the store is away, or the test is over
		}
		w.enter(h)
		select {
		case <-h.Done():
		case <-time.After(50 * time.Millisecond):
		}
		w.leave(h)
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		_ = h.Release(within) // goes on in the background if need be
		cancel()
	}
}

// hurt has one server fail in one of three ways, for longer than its sessions live.
func hurt(t *testing.T, e *zkserver.Ensemble, n *zkserver.Network, way, server int) {
	t.Helper()
	const long = 10 * zkserver.Tick
	s := e.Servers[server]
	switch way % 3 {
	case 0:
		s.Kill()
		time.Sleep(long)
		s.Restart()
	case 1:
		s.Pause()
		time.Sleep(long)
		s.Resume()
	default:
		heal := n.Isolate(server)
		time.Sleep(long)
		heal()
	}
}
