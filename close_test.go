package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Close with holds and waiters gives everything back, and tells everyone.
func TestS26_Close(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*holdgate.Options{"local lines": nil, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				other := startProc(t, store, opts)
				p := startProc(t, store, opts)
				holds := make([]*holdgate.Hold, 100)
				for i := range holds {
					holds[i] = p.mustLock(t, fmt.Sprint("x", i))
				}
				waits := []*attempt{p.lockLater(t.Context(), "x0"), p.lockLater(t.Context(), "x0")}
				foreign := other.mustLock(t, "y")
				waits = append(waits, p.lockLater(t.Context(), "y"), p.lockLater(t.Context(), "y"))
				synctest.Wait()
				next := other.lockLater(t.Context(), "x1")
				next.pending(t)

				begun := time.Now()
				if err := p.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took != 0 {
					t.Errorf("Close took %v with a store that answers at once", took)
				}
				for _, w := range waits {
					w.refused(t, 0, holdgate.ErrClosed, holdgate.ErrNotAcquired)
				}
				for _, h := range holds {
					wantErr(t, h.Err(), holdgate.ErrClosed)
					wantErr(t, context.Cause(h.Context()), holdgate.ErrClosed)
					wantErr(t, h.Release(t.Context()), holdgate.ErrClosed)
				}
				next.granted(t, 0)
				if n := len(store.Sessions()); n != 1 {
					t.Errorf("%d sessions in the store; want only the other's", n)
				}
				wantHeld(t, foreign)
				_, err := p.Mutex("z").Lock(t.Context())
				wantErr(t, err, holdgate.ErrClosed)
				_, err = p.Mutex("z").TryLock(t.Context())
				wantErr(t, err, holdgate.ErrClosed)
				if err := p.Close(t.Context()); err != nil {
					t.Errorf("a second Close: %v", err)
				}
			})
		})
	}
}

// Close is bounded also when the store is away: then what was held is freed by the
// store in its own time.
func TestS26_CloseWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				p, other := startProc(t, store, nil), startProc(t, store, nil)
				h := p.mustLock(t, "x")
				w := p.lockLater(t.Context(), "x")
				next := other.lockLater(t.Context(), "x")
				next.pending(t)
				p.drv.SetLink(link)
				begun := time.Now()
				p.killed = true // Close will not succeed
				err := p.Close(t.Context())
				if took := time.Since(begun); took > ttl+ttl/4+2*time.Second {
					t.Errorf("Close took %v", took)
				}
				wantErr(t, err, holdgate.ErrUnavailable)
				wantErr(t, h.Err(), holdgate.ErrClosed)
				w.refused(t, 0, holdgate.ErrClosed)
				next.granted(t, ttl)
			})
		})
	}
}

// A Close whose context ends says that the store frees the rest later.
func TestCloseWithoutPatience(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.mustLock(t, "x")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p.killed = true
		err := p.Close(ctx)
		wantErr(t, err, context.Canceled)
		if want := "close: the store frees what was held 15s later: "; err.Error()[:len(want)] != want {
			t.Errorf("got %q", err)
		}
		pass(ttl)
		wantNothingLeft(t, store)
	})
}

// An Open that is answered while the client closes, or after, leaves no session.
func TestCloseDuringOpen(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		opened := make(chan struct{})
		p.faults.next(memdriver.OpOpen, memdriver.Fault{AnswerDelay: time.Second, Applied: func() { close(opened) }})
		w := p.lockLater(t.Context(), "x")
		<-opened
		begun := time.Now()
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		w.refused(t, 0, holdgate.ErrClosed, holdgate.ErrNotAcquired)
		pass(ttl)
		if n := len(store.Sessions()); n > 0 {
			t.Errorf("%d sessions left", n)
		}
	})
}

// A session that could not be closed when it was lost does not make Close slower
// once its time is over, nor is it kept for ever.
func TestCloseForgetsOldSessions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		lift := p.faults.always(memdriver.OpClose, memdriver.Fault{Err: errStoreDown})
		for range 5 {
			p.mustLock(t, "x")
			store.ExpireSession(store.Sessions()[0])
			pass(renewEvery)
		}
		pass(2 * ttl)
		if n := p.Sessions(); n != 0 {
			t.Errorf("%d sessions that the store cannot have are remembered", n)
		}
		lift()
	})
}

// Close while a release is on its way: whoever wins, the release returns and says what
// is true.
func TestCloseDuringRelease(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		leave := p.faults.stopNext(memdriver.OpLeave)
		released := releaseLater(t.Context(), h)
		<-leave.reached
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		close(leave.goOn)
		wantErr(t, <-released, holdgate.ErrClosed)
		wantNothingLeft(t, store)
	})
}

// A driver that was closed before its client: calls end with its error, and the first of
// them ends the session, which the driver has abandoned.
func TestDriverClosedFirst(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		h := p.mustLock(t, "x")
		p.kill()
		_, err := p.Mutex("y").Lock(t.Context())
		wantErr(t, err, holdgate.ErrNotAcquired, driver.ErrClosed)
		wantLost(t, h, holdgate.LostSession)
	})
}

// What the store refuses for good is not tried again until a TTL has passed.
func TestCloseRefused(t *testing.T) {
	for name, refusal := range map[string]error{"closed": driver.ErrClosed, "denied": driver.ErrDenied} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				p.mustLock(t, "x")
				p.faults.always(memdriver.OpClose, memdriver.Fault{Err: refusal})
				p.killed = true
				begun := time.Now()
				wantErr(t, p.Close(t.Context()), refusal)
				if took := time.Since(begun); took > 0 {
					t.Errorf("Close took %v", took)
				}
			})
		})
	}
}

// Close ends also the pause of a Lock that tries again and again to reach the store.
func TestCloseDuringBackoff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		p.warm(t)
		p.faults.always(memdriver.OpEnter, memdriver.Fault{Err: errStoreDown})
		waits := []*attempt{p.lockLater(t.Context(), "x"), p.lockLater(t.Context(), "y"), p.tryLater(t.Context(), "z")}
		pass(3 * time.Second)
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, w := range waits {
			w.refused(t, 0, holdgate.ErrClosed, holdgate.ErrNotAcquired)
		}
	})
}

// A driver that is closed before its client has given up its sessions: nobody waits
// for an answer that cannot come.
func TestReleaseAfterTheDriverWasClosed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		drv := memdriver.NewStore().Connect(nil)
		c, err := holdgate.New(drv, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.Mutex("x").Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := drv.Close(); err != nil {
			t.Fatal(err)
		}
		if err := h.Release(context.Background()); !errors.Is(err, holdgate.ErrLost) || !errors.Is(err, driver.ErrClosed) {
			t.Errorf("release: %v; want ErrLost for driver.ErrClosed", err)
		}
		_ = c.Close(t.Context()) // what the store was not told of is said above
	})
}

// Whoever closes second returns when everything is given back, too.
func TestCloseTwiceAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		p.mustLock(t, "x")
		farewell := p.faults.stopNext(memdriver.OpClose)
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- p.Close(context.Background()) }()
		<-farewell.reached
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		wantErr(t, p.Close(impatient), context.Canceled)
		go func() { second <- p.Close(context.Background()) }()
		synctest.Wait()
		if len(second) > 0 {
			t.Error("the second Close returned before the first")
		}
		close(farewell.goOn)
		if err := <-first; err != nil {
			t.Error(err)
		}
		if err := <-second; err != nil {
			t.Error(err)
		}
		wantNothingLeft(t, store)
	})
}
