package redis_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// actor is one process: a handle and a session.
type actor struct {
	t   *testing.T
	drv *redisdriver.Driver
	ses driver.Session
}

// newActor starts a process on a server, over a link if there is one.
func newActor(t *testing.T, s *redisserver.Server, link *proxy.Link, ttl time.Duration) *actor {
	t.Helper()
	a := &actor{t: t, drv: newDriver(t, connect(t, s, link))}
	a.open(ttl)
	return a
}

func newDriver(t *testing.T, c redis.UniversalClient) *redisdriver.Driver {
	t.Helper()
	d, err := redisdriver.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func (a *actor) open(ttl time.Duration) {
	a.t.Helper()
	ses, err := a.drv.Open(a.t.Context(), driver.SessionOptions{TTL: ttl, Owner: "test"})
	if err != nil {
		a.t.Fatal(err)
	}
	a.ses = ses
}

func mutex(line string) driver.Claim {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return driver.Claim{Line: line, ID: hex.EncodeToString(b[:]), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

func (a *actor) enter(c driver.Claim) driver.Place {
	a.t.Helper()
	p, err := a.ses.Enter(a.t.Context(), c)
	if err != nil {
		a.t.Fatal(err)
	}
	return p
}

// take enters a line that is free.
func (a *actor) take(line string) driver.Place {
	a.t.Helper()
	p := a.enter(mutex(line))
	if !p.Granted {
		a.t.Fatalf("%q is free, and was not granted", line)
	}
	return p
}

func (a *actor) leave(p driver.Place) {
	a.t.Helper()
	if err := a.ses.Leave(a.t.Context(), p.Line, p.ID); err != nil {
		a.t.Fatal(err)
	}
}

// fails checks the kind of an error.
func fails(t *testing.T, err, kind error, what string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("%s: got the error %v, want %q", what, err, kind)
	}
}

// wait waits in the background.
func (a *actor) wait(p driver.Place) <-chan error {
	outcome := make(chan error, 1)
	// Ends with the grant, an error, or the test.
	go func() {
		now, err := a.ses.Wait(a.t.Context(), p)
		if err == nil && !now.Granted {
			err = errEarly
		}
		outcome <- err
	}()
	return outcome
}

var errEarly = errors.New("the wait returned without a grant")

// granted awaits the end of a wait.
func granted(t *testing.T, outcome <-chan error) {
	t.Helper()
	select {
	case err := <-outcome:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatalf("not granted within %v", patience)
	}
}

// do runs a command of the administrator's.
func do(t *testing.T, c redis.UniversalClient, args ...any) any {
	t.Helper()
	answer, err := c.Do(context.WithoutCancel(t.Context()), args...).Result()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return answer
}
