package zk_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// A server that is cut off from its leader still answers what it can by itself, and while it
// does the leader gives its clients' locks away. So whoever holds by way of that server
// must have been told before the next one holds.
func TestAFollowerThatIsCutOff(t *testing.T) {
	t.Parallel()
	n := zkserver.NewNetwork(t)
	e := zkserver.Start(t, 3, zkserver.Config{Peer: n.Peer})
	leader := e.Leader(t)
	follower := (leader + 1) % 3
	_, next := process(t, []string{e.Servers[leader].Address()}, zkdriver.Options{}, 10*time.Second)
	for round := range 3 {
		holds, stop := holdBehind(t, e.Servers[follower], 6*zkserver.Tick)
		// Cut at another moment between two reports of the server in each round.
		time.Sleep(time.Duration(round) * zkserver.Tick / 6)
		heal := n.Isolate(follower)
		second, err := next.Mutex("orders").Lock(t.Context())
		granted := time.Now()
		if err != nil {
			t.Fatal(err)
		}
		select {
		case told := <-holds.told:
			t.Logf("round %d: told %v before the next one held", round, granted.Sub(told))
		default:
			t.Errorf("round %d: two hold: the one behind the server that was cut off was not told", round)
		}
		if err := second.Release(t.Context()); err != nil {
			t.Error(err)
		}
		heal()
		stop()
	}
}

// holding is a hold whose loss is timed.
type holding struct {
	*holdgate.Hold
	told chan time.Time
}

func holdBehind(t *testing.T, s *zkserver.Server, ttl time.Duration) (*holding, func()) {
	t.Helper()
	d, c := process(t, []string{s.Address()}, zkdriver.Options{}, ttl)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	hold, err := c.Mutex("orders").Lock(ctx)
	if err != nil {
		t.Fatal(err)
	}
	h := &holding{Hold: hold, told: make(chan time.Time, 1)}
	go func() { <-hold.Done(); h.told <- time.Now() }() // ends with the hold, at the latest with its client
	return h, func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = c.Close(ctx)
		_ = d.Close()
	}
}

// Why a renewal is a write: what the server that was cut off still answers proves nothing.
func TestReadsProveNothing(t *testing.T) {
	t.Parallel()
	n := zkserver.NewNetwork(t)
	e := zkserver.Start(t, 3, zkserver.Config{Peer: n.Peer})
	leader := e.Leader(t)
	follower := (leader + 1) % 3
	ttl := 4 * zkserver.Tick
	behind := clientFor(t, &zkserver.Ensemble{Servers: e.Servers[follower : follower+1]}, ttl)
	path := parent(t, behind)
	made, _ := enter(t, behind, path)
	others := clientFor(t, &zkserver.Ensemble{Servers: e.Servers[leader : leader+1]}, 10*time.Second)
	_, _, gone, err := others.GetW(made)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Isolate(follower)()
	select {
	case <-gone:
	case <-time.After(30 * time.Second):
		t.Fatal("the leader keeps a session that it hears nothing of")
	}
	if _, _, err := behind.Get(made); err != nil {
		t.Errorf("the server that was cut off says %v of a node that is gone: then a read would do for a renewal", err)
	}
}

// A renewal that was answered has reached a quorum, but perhaps not the leader's clock: its
// server reports to that twice a tick. Trust is counted as the root package does, and the
// lock is never given away before; counted from the last renewal it would be.
func TestWhyRenewalsLag(t *testing.T) {
	t.Parallel()
	n := zkserver.NewNetwork(t)
	e := zkserver.Start(t, 3, zkserver.Config{Peer: n.Peer})
	leader := e.Leader(t)
	follower := (leader + 1) % 3
	d, _ := process(t, []string{e.Servers[leader].Address()}, zkdriver.Options{}, 10*time.Second)
	other, err := d.Open(t.Context(), driver.SessionOptions{TTL: 60 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	for round := range 6 {
		behind, _ := process(t, []string{e.Servers[follower].Address()}, zkdriver.Options{}, 10*time.Second)
		trusted, last := cutAfterRenewal(t, n, follower, behind, other, time.Duration(round)*zkserver.Tick/12)
		t.Logf("round %d: given away %v after the trust had ended, %v after it would have by the last renewal", round, trusted, last)
		if trusted < 0 {
			t.Errorf("round %d: given away %v before the trust had ended", round, -trusted)
		}
		if last < 0 {
			early++
		}
	}
	if early == 0 {
		t.Error("no renewal was late: then Features.RenewLag would not be needed")
	}
}

// cutAfterRenewal takes a lock behind a server, renews it twice, cuts the server off, and
// returns how long after the holder's trust had ended another one was granted, and how long
// after it would have ended had it been counted from the last renewal.
func cutAfterRenewal(
	t *testing.T, n *zkserver.Network, follower int, d driver.Driver, other driver.Session, phase time.Duration,
) (afterTrust, afterLast time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	s, err := d.Open(ctx, driver.SessionOptions{TTL: 6 * zkserver.Tick})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enter(ctx, claim("orders", "a")); err != nil {
		t.Fatal(err)
	}
	renew := func() time.Time {
		at := time.Now()
		if _, err := s.Renew(ctx); err != nil {
			t.Fatal(err)
		}
		return at
	}
	trusted := renew()
	time.Sleep(d.Features().RenewLag + phase/3) // before the client's own next ping
	last := renew()
	heal := n.Isolate(follower)
	defer heal()
	p, err := other.Enter(ctx, claim("orders", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for !p.Granted {
		if p, err = other.Wait(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	granted := time.Now()
	if err := other.Leave(ctx, p.Line, p.ID); err != nil && !errors.Is(err, driver.ErrGone) {
		t.Fatal(err)
	}
	return granted.Sub(trusted.Add(s.TTL() - s.TTL()/100)), granted.Sub(last.Add(s.TTL() - s.TTL()/100))
}
