package etcdembed_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// joiner are options for a member that joins the cluster of another.
func joiner(t *testing.T, s *etcdembed.Server) etcdembed.Options {
	t.Helper()
	o := meeting(t)
	o.Join = s.Endpoints()
	return o
}

func TestGrowingLosesNoSession(t *testing.T) {
	t.Parallel()
	first := start(t, meeting(t))
	c := client(t, first)
	const ttl = 3 * time.Second
	lease := session(t, c, "hold", ttl)
	stopRenewing := renew(t, c, lease, ttl/4)

	// Two at once: etcd has one learner at a time, so one of them waits.
	joined := startAll(t, []etcdembed.Options{joiner(t, first), joiner(t, first)})

	if longest := stopRenewing(); longest > ttl {
		t.Errorf("growing kept a renewal waiting for %v, want less than the TTL of %v", longest, ttl)
	}
	if !exists(t, client(t, joined[1]), "hold") {
		t.Error("the session was lost while the cluster grew")
	}
	if voters, learners := members(t, c); voters != 3 || learners != 0 {
		t.Errorf("got %d voters and %d learners, want 3 and none", voters, learners)
	}
	// All three count now: one may go.
	c.Close()
	stop(t, first)
	lockAndUnlock(t, client(t, joined[1]))
}

// renew keeps a session alive, and reports the longest time between two successes.
func renew(t *testing.T, c *clientv3.Client, lease clientv3.LeaseID, every time.Duration) (stop func() time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(bounded(t))
	var longest time.Duration
	var running sync.WaitGroup
	running.Go(func() { // ended and awaited by stop
		last := time.Now()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if _, err := c.KeepAliveOnce(ctx, lease); err == nil {
				longest = max(longest, time.Since(last))
				last = time.Now()
			}
		}
	})
	stop = sync.OnceValue(func() time.Duration {
		cancel()
		running.Wait()
		return longest
	})
	t.Cleanup(func() { stop() })
	return stop
}

func TestJoinGoesOnWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	t.Run("admitted", func(t *testing.T) {
		t.Parallel()
		first := start(t, meeting(t))
		o := joiner(t, first)
		if _, err := client(t, first).MemberAddAsLearner(bounded(t), []string{"http://" + o.ListenPeer}); err != nil {
			t.Fatal(err)
		}
		start(t, o)
		if voters, learners := members(t, client(t, first)); voters != 2 || learners != 0 {
			t.Errorf("got %d voters and %d learners, want 2 and none", voters, learners)
		}
	})
	t.Run("a learner", func(t *testing.T) {
		t.Parallel()
		first := start(t, meeting(t))
		o := joiner(t, first)
		cut := o
		_, err := etcdembed.Start(cancelledAt(t, &cut, "now serving peer/client/metrics"), cut)
		wantIs(t, err, errCutOff)
		if voters, learners := members(t, client(t, first)); voters+learners != 2 {
			t.Fatalf("the test does not test: %d voters and %d learners after the first try", voters, learners)
		}

		o.Join = nil // the one that joined knows the others by now
		start(t, o)
		if voters, learners := members(t, client(t, first)); voters != 2 || learners != 0 {
			t.Errorf("got %d voters and %d learners, want 2 and none", voters, learners)
		}
	})
}

func TestJoinIsRefused(t *testing.T) {
	t.Parallel()
	t.Run("data is lost", func(t *testing.T) {
		t.Parallel()
		opts := trio(t)
		servers := startAll(t, opts)
		stop(t, servers[2])
		again := opts[2]
		again.Dir, again.Cluster, again.Join = dataDir(t), nil, servers[0].Endpoints()
		_, err := etcdembed.Start(bounded(t), again)
		wantIs(t, err, etcdembed.ErrRefused)
	})
	t.Run("the first has no peer address", func(t *testing.T) {
		t.Parallel()
		o := alone(t)
		first := start(t, o)
		_, err := etcdembed.Start(bounded(t), joiner(t, first))
		wantIs(t, err, etcdembed.ErrRefused)
		if voters, learners := members(t, client(t, first)); voters+learners != 1 {
			t.Fatalf("a refused join has left %d voters and %d learners", voters, learners)
		}

		stop(t, first)
		o.ListenPeer = freeAddress(t)
		first = start(t, o) // with one now
		start(t, joiner(t, first))
	})
}

func TestOwnOptionsAreNotChanged(t *testing.T) {
	t.Parallel()
	first := start(t, meeting(t))
	o := joiner(t, first)
	o.Join = []string{first.Endpoints()[0] + "/"}
	before := slices.Clone(o.Join)
	start(t, o)
	if !slices.Equal(o.Join, before) {
		t.Errorf("Start changed Options.Join from %q to %q", before, o.Join)
	}
}
