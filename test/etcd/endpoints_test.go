package etcd_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// soonWell is how long an endpoint of no use may hold a caller up: three seconds until a
// silent one is given up, an election where it was the leader, and a busy machine.
const soonWell = 10 * time.Second

// withLink is a client of three members, and the network between them.
func withLink(t *testing.T, o *holdgate.Options) (*etcdserver.Cluster, *etcdserver.Link, *holdgate.Client) {
	t.Helper()
	cluster, link := etcdserver.Start(t, 3), etcdserver.NewLink(t)
	d, err := etcddriver.New(cluster.Client(t, link.Options()...), nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := holdgate.New(d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close(context.WithoutCancel(t.Context()))
		_ = d.Close()
	})
	return cluster, link, client
}

// Any one of three endpoints may be of no use, in any way: locking goes on, a hold
// lives, and the endpoint is used again when the others fail.
func TestABadEndpointIsLeftAndTakenBack(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*etcdserver.Link, *etcdserver.Member) (mend func()){
		"dead":        func(_ *etcdserver.Link, m *etcdserver.Member) func() { m.Kill(); return m.Restart },
		"hung":        func(_ *etcdserver.Link, m *etcdserver.Member) func() { m.Pause(); return m.Resume },
		"black-holed": func(l *etcdserver.Link, m *etcdserver.Member) func() { return l.Stall(m.Endpoint()) },
		"refusing":    func(l *etcdserver.Link, m *etcdserver.Member) func() { return l.Cut(m.Endpoint()) },
	} {
		t.Run(name, func(t *testing.T) {
			cluster, link, client := withLink(t, nil)
			held, err := client.Mutex("held").Lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range cluster.Members {
				mend := spoil(link, m)
				locksSoon(t, client, "without "+m.Endpoint())
				mend()
			}
			first := cluster.Members[0] // was left, at the latest when it was spoiled
			heal := link.Cut(cluster.Members[1].Endpoint(), cluster.Members[2].Endpoint())
			locksSoon(t, client, "with none but the first one spoiled")
			heal()
			mend := spoil(link, first)
			locksSoon(t, client, "without the first, once more")
			mend()
			if err := held.Err(); err != nil {
				t.Errorf("the hold was lost: %v", err)
			}
			if err := held.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// locksSoon wants a lock to be taken and given back, several times.
func locksSoon(t *testing.T, client *holdgate.Client, when string) {
	t.Helper()
	began := time.Now()
	for range 10 { // more than there are endpoints
		hold, err := client.Mutex("orders").Lock(t.Context())
		if err != nil {
			t.Fatalf("%s: lock: %v", when, err)
		}
		if err := hold.Release(t.Context()); err != nil {
			t.Fatalf("%s: release: %v", when, err)
		}
	}
	took := time.Since(began)
	t.Logf("%s: ten times lock and release in %v", when, took.Round(time.Millisecond))
	if took > soonWell {
		t.Errorf("%s: ten times lock and release took %v, want at most %v", when, took, soonWell)
	}
}

// A caller whose patience is shorter than it takes to give a silent endpoint up must not
// meet it again and again: that is how sessions with a short TTL renew.
func TestShortPatienceMeetsAHungEndpointOnce(t *testing.T) {
	t.Parallel()
	cluster, link := etcdserver.Start(t, 3), etcdserver.NewLink(t)
	d, err := etcddriver.New(cluster.Client(t, link.Options()...), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	for _, m := range cluster.Members {
		resume := link.Stall(m.Endpoint())
		failed := 0
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			if _, err := ses.Renew(ctx); err != nil {
				failed++
			}
			cancel()
		}
		if failed > 2 { // the stream, and what was sent beside it
			t.Errorf("of ten renewals while %s was silent, %d failed", m.Endpoint(), failed)
		}
		resume()
	}
}

// A client of one endpoint whose connection died without a word: nothing but a new
// connection helps.
func TestADeadConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	cluster, link := etcdserver.Start(t, 1), etcdserver.NewLink(t)
	d, err := etcddriver.New(cluster.Client(t, link.Options()...), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	link.Deaden()
	began := time.Now()
	surely(t, func(ctx context.Context) error { _, err := ses.Renew(context.WithoutCancel(ctx)); return err }) // with all patience
	if took := time.Since(began); took > soonWell {
		t.Errorf("the connection was replaced after %v, want at most %v", took, soonWell)
	}
}

// A member that has lost its leader answers pings, and tells its watchers nothing. So
// their wait must end: they may be told elsewhere.
func TestAWaitOnAMemberWithoutLeaderEnds(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]int{"short line": 1, "long line": 6} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := etcdserver.Start(t, 3)
			lonely := cluster.Members[0]
			d, err := etcddriver.New(etcdserver.Dial(t, clientOf(lonely)), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			other := openSession(t, d, time.Minute)
			for range ahead {
				enter(t, other, mutex("orders"))
			}
			ses := openSession(t, d, time.Minute)
			p := enter(t, ses, mutex("orders"))
			outcome := make(chan error, 1)
			go func() { // ends with the wait
				_, err := ses.Wait(t.Context(), p)
				outcome <- err
			}()
			for _, m := range cluster.Members[1:] {
				m.Pause()
				defer m.Resume()
			}
			limit := time.NewTimer(30 * time.Second)
			defer limit.Stop()
			select {
			case err := <-outcome:
				if !errors.Is(err, driver.ErrUnavailable) {
					t.Errorf("got the error %v, want unavailable", err)
				}
			case <-limit.C:
				t.Error("the wait goes on, though nobody will tell it anything")
			}
		})
	}
}
