package zk_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

func claim(line, digit string) driver.Claim {
	return driver.Claim{Line: line, ID: strings.Repeat(digit, 32), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

// asked notes which server was connected to last.
type asked struct {
	mu      sync.Mutex
	address string
}

func (a *asked) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.address = address
	}
	return c, err
}

func (a *asked) server(t *testing.T, e *zkserver.Ensemble) *zkserver.Server {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(e.Addresses(), a.address)
	if i < 0 {
		t.Fatalf("connected to %q, which is none of the servers", a.address)
	}
	return e.Servers[i]
}

// bounded is a context for what must come back soon.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestHoldOutlivesItsServer(t *testing.T) {
	t.Parallel()
	const ttl = 15 * time.Second
	for what, stop := range map[string]func(*zkserver.Server){
		"killed": (*zkserver.Server).Kill,
		"hung":   (*zkserver.Server).Pause,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			e := zkserver.Start(t, 3, zkserver.Config{})
			leader := e.Leader(t)
			followers := slices.Delete(e.Addresses(), leader, leader+1)
			var at asked
			_, c := process(t, followers, zkdriver.Options{Dial: at.dial}, ttl)
			hold, err := c.Mutex("orders").Lock(bounded(t))
			if err != nil {
				t.Fatal(err)
			}
			stop(at.server(t, e))
			select {
			case <-hold.Done():
				t.Fatalf("the hold was lost with one server of three: %v", hold.Err())
			case <-time.After(ttl + time.Second): // it was renewed by way of another server
			}
			if err := hold.Verify(bounded(t)); err != nil {
				t.Errorf("Verify: %v", err)
			}
			if err := hold.Release(bounded(t)); err != nil {
				t.Errorf("Release: %v", err)
			}
		})
	}
}

func TestLeaderStopped(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 3, zkserver.Config{})
	_, a := process(t, e.Addresses(), zkdriver.Options{}, 15*time.Second)
	_, b := process(t, e.Addresses(), zkdriver.Options{}, 15*time.Second)
	first, err := a.Mutex("orders").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	leader := e.Servers[e.Leader(t)]
	leader.Pause()
	waiting := make(chan *holdgate.Hold, 1)
	go func() { // ends with the lock, or with its context
		if hold, err := b.Mutex("orders").Lock(bounded(t)); err == nil {
			waiting <- hold
		}
	}()
	// Released or lost: the next one gets it, with a larger token, from the new leader.
	if err := first.Release(bounded(t)); err != nil && !errors.Is(err, holdgate.ErrLost) {
		t.Fatal(err)
	}
	select {
	case second := <-waiting:
		if second.Token() <= first.Token() {
			t.Errorf("got the token %v after %v", second.Token(), first.Token())
		}
		if err := second.Release(bounded(t)); err != nil {
			t.Error(err)
		}
	case <-bounded(t).Done():
		t.Error("nobody gets the lock from the new leader")
	}
	leader.Resume()
}

func TestSessionEndedByAnOperator(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	_, c := process(t, e.Addresses(), zkdriver.Options{}, 15*time.Second)
	hold, err := c.Mutex("orders").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	line, err := c.Line(bounded(t), "orders")
	if err != nil || len(line.Places) != 1 {
		t.Fatalf("got %+v, %v", line, err)
	}
	e.Servers[0].EndSession(t, line.Places[0].Session)
	select {
	case <-hold.Done():
	case <-bounded(t).Done():
		t.Fatal("the holder is not told")
	}
	var lost *holdgate.LostError
	if !errors.As(hold.Err(), &lost) || lost.Reason != holdgate.LostSession {
		t.Errorf("the hold ended by %v, want the loss of its session", hold.Err())
	}
	again, err := c.Mutex("orders").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(bounded(t)); err != nil {
		t.Error(err)
	}
}

func TestLinesVanish(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{Options: []string{"-Dznode.container.checkIntervalMs=200"}})
	_, c := process(t, e.Addresses(), zkdriver.Options{}, 15*time.Second)
	lockOnce := func() holdgate.Token {
		hold, err := c.Mutex("orders").Lock(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		defer hold.Release(bounded(t))
		return hold.Token()
	}
	before := lockOnce()
	admin := client(t, e)
	for ctx := bounded(t); ; time.Sleep(50 * time.Millisecond) {
		if stands, _, err := admin.Exists("/holdgate/orders"); err == nil && !stands {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the node of a line that nobody stands in stays")
		}
	}
	if after := lockOnce(); after <= before {
		t.Errorf("got the token %v after %v, when the line was gone in between", after, before)
	}
}
