package zk_test

import (
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// sessions opens a session each for two processes.
func sessions(t *testing.T, e *zkserver.Ensemble) (a, b driver.Session) {
	t.Helper()
	open := func() driver.Session {
		d, _ := process(t, e.Addresses(), zkdriver.Options{}, 60*time.Second)
		s, err := d.Open(bounded(t), driver.SessionOptions{TTL: 60 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return open(), open()
}

// mustEnter tries again when the connection broke, as the core does: a server on a busy
// machine may be silent for longer than the driver has patience.
func mustEnter(t *testing.T, s driver.Session, c driver.Claim) driver.Place {
	t.Helper()
	ctx := bounded(t)
	for {
		p, err := s.Enter(ctx, c)
		switch {
		case err == nil:
			return p
		case ctx.Err() != nil || !errors.Is(err, driver.ErrUnknownOutcome) && !errors.Is(err, driver.ErrUnavailable):
			t.Fatal(err)
		}
	}
}

// Who waits remembers from its entry who is ahead. By the time it begins to wait that one may
// be in nobody's way any more, though it still stands.
func TestWaitBehindOneThatLeftItsUnits(t *testing.T) {
	t.Parallel()
	a, b := sessions(t, zkserver.Start(t, 1, zkserver.Config{}))
	first := mustEnter(t, a, claim("orders", "a"))
	second := mustEnter(t, b, claim("orders", "b"))
	if !first.Granted || second.Granted {
		t.Fatalf("got %+v and %+v, want the first granted", first, second)
	}
	first.Units = 0
	if _, err := a.Update(bounded(t), first); err != nil {
		t.Fatal(err)
	}
	second, err := b.Wait(bounded(t), second)
	if err != nil || !second.Granted {
		t.Errorf("behind one that takes nothing: got %+v, %v", second, err)
	}
}

// A wait asks the server three times: once for the line, when the place was made, and for the
// two nodes that it watches. The grant needs no question.
func TestTripsOfAWait(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	a, b := sessions(t, e)
	turn := func(ahead, behind driver.Session, old, next string) {
		t.Helper()
		p := mustEnter(t, behind, claim("orders", next))
		granted := make(chan error, 1)
		go func() { // ends with the grant
			_, err := behind.Wait(bounded(t), p)
			granted <- err
		}()
		for ctx := bounded(t); e.Servers[0].Served(t).Watches < 2; time.Sleep(time.Millisecond) {
			if ctx.Err() != nil {
				t.Fatal("who waits does not watch itself and the one ahead")
			}
		}
		if err := ahead.Leave(bounded(t), "orders", claim("orders", old).ID); err != nil {
			t.Fatal(err)
		}
		if err := <-granted; err != nil {
			t.Fatal(err)
		}
	}
	mustEnter(t, a, claim("orders", "a"))
	const turns = 15
	before := e.Servers[0].Served(t)
	for range turns {
		turn(a, b, "a", "b")
		turn(b, a, "b", "a")
	}
	served := e.Servers[0].Served(t).Since(before)
	// Renewals and pings come in between.
	if want := 2.0 * turns * 3; served.Reads > want+want/5 {
		t.Errorf("%d waits took %v reads, want %v", 2*turns, served.Reads, want)
	}
	if want := 2.0 * turns * 2; served.Writes > want+want/5 {
		t.Errorf("%d times in line and out again took %v writes, want %v", 2*turns, served.Writes, want)
	}
}
