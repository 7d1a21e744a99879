package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// queue is a line with one holder and some who wait, each with a session and a handle of
// its own.
type queue struct {
	holder  driver.Place
	first   driver.Session
	waiters []*queued
}

type queued struct {
	ses     driver.Session
	place   driver.Place
	granted <-chan error
}

// lineUp makes a queue. A short one is followed whole by its waiters, in a long one each
// follows the one ahead.
func lineUp(t *testing.T, cluster *etcdserver.Cluster, waiters int) *queue {
	t.Helper()
	q := &queue{first: openSession(t, newDriver(t, cluster, nil), time.Minute)}
	q.holder = enter(t, q.first, mutex("orders"))
	for range waiters {
		w := &queued{ses: openSession(t, newDriver(t, cluster, nil), time.Minute)}
		w.place = enter(t, w.ses, mutex("orders"))
		w.granted = patiently(t, w.ses, w.place)
		q.waiters = append(q.waiters, w)
	}
	return q
}

// patiently waits for a grant through outages, as the core does.
func patiently(t *testing.T, ses driver.Session, p driver.Place) <-chan error {
	t.Helper()
	outcome := make(chan error, 1)
	// Ends with the grant, a definite error, or the test.
	go func() {
		for {
			now, err := ses.Wait(t.Context(), p)
			switch {
			case err == nil && now.Granted:
				outcome <- nil
				return
			case err != nil && !errors.Is(err, driver.ErrUnavailable):
				outcome <- err
				return
			}
			wait(t, 20*time.Millisecond)
		}
	}()
	return outcome
}

// serve has the line go through, in order.
func (q *queue) serve(t *testing.T) {
	t.Helper()
	surely(t, func(ctx context.Context) error { return q.first.Leave(ctx, q.holder.Line, q.holder.ID) })
	for i, w := range q.waiters {
		within(t, w.granted, fmt.Sprintf("waiter %d", i+1))
		for _, behind := range q.waiters[i+1:] {
			notYet(t, behind.granted, fmt.Sprintf("one behind waiter %d", i+1))
		}
		surely(t, func(ctx context.Context) error { return w.ses.Leave(ctx, w.place.Line, w.place.ID) })
	}
}

// surely repeats a call through an outage.
func surely(t *testing.T, call func(context.Context) error) {
	t.Helper()
	var err error
	for range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		err = call(ctx)
		cancel()
		if err == nil || errors.Is(err, driver.ErrGone) {
			return
		}
		wait(t, 20*time.Millisecond)
	}
	t.Fatal(err)
}

// both runs a test on a short line and on a long one: they wait in different ways.
func both(t *testing.T, test func(t *testing.T, waiters int)) {
	t.Helper()
	for name, waiters := range map[string]int{"short line": 2, "long line": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, waiters)
		})
	}
}

// In a long line a process follows the place ahead first; its own, once it has waited for
// long.
func TestAWaiterLearnsThatItWasRemoved(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, waiters int) {
		cluster := etcdserver.Start(t, 1)
		q := lineUp(t, cluster, waiters)
		last := q.waiters[waiters-1]
		why := driver.Eviction{Reason: "test", By: "test"}
		if err := newDriver(t, cluster, nil).Evict(t.Context(), "orders", last.place.ID, why); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-last.granted:
			if !errors.Is(err, driver.ErrGone) {
				t.Errorf("got %v, want ErrGone", err)
			}
		case <-time.After(10 * time.Second): // one second, and a busy machine
			t.Error("it goes on waiting")
		}
	})
}

// S38: idle watches are compacted away by other keys' writes.
func TestWaitersOutliveCompaction(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, waiters int) {
		cluster := etcdserver.Start(t, 1)
		q := lineUp(t, cluster, waiters)
		client := cluster.Client(t)
		var revision int64
		for range 50 {
			revision = put(t, client, "/other", "")
		}
		if _, err := client.Compact(t.Context(), revision, clientv3.WithCompactPhysical()); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Defragment(t.Context(), cluster.Members[0].Endpoint()); err != nil {
			t.Fatal(err)
		}
		q.serve(t)
	})
}

// S38, S18: the store's process is killed, and started again on its data.
func TestWaitersOutliveARestart(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, waiters int) {
		cluster := etcdserver.Start(t, 1)
		q := lineUp(t, cluster, waiters)
		cluster.Members[0].Kill()
		cluster.Members[0].Restart()
		q.serve(t)
	})
}

func TestWaitersOutliveAChangeOfLeader(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, waiters int) {
		cluster := etcdserver.Start(t, 3)
		q := lineUp(t, cluster, waiters)
		moveLeader(t, cluster)
		cluster.Leader(t).Kill()
		q.serve(t)
	})
}

// S39: the member that carries the wake-ups hangs, at the moment of release. Its
// connection stays open, so that only its silence tells.
func TestASilentMemberIsLeft(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	leader := cluster.Leader(t)
	admin := etcdserver.Dial(t, clientv3.Config{Endpoints: []string{leader.Endpoint()}})
	holding, err := etcddriver.New(admin, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer holding.Close()
	holder := openSession(t, holding, time.Minute)
	var followers []*etcdserver.Member
	var endpoints []string
	for _, m := range cluster.Members {
		if m != leader {
			followers = append(followers, m)
			endpoints = append(endpoints, m.Endpoint())
		}
	}
	waiting, err := etcddriver.New(etcdserver.Dial(t, clientv3.Config{Endpoints: endpoints}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close()
	waiter := openSession(t, waiting, time.Minute)
	for _, m := range followers { // one of them carries the stream
		held := enter(t, holder, mutex("orders"))
		next := enter(t, waiter, mutex("orders"))
		granted := patiently(t, waiter, next)
		awaitLine(t, holding, "orders", 2)
		m.Pause()
		leave(t, holder, held)
		within(t, granted, "the waiter")
		m.Resume()
		surely(t, func(ctx context.Context) error { return waiter.Leave(ctx, next.Line, next.ID) })
	}
}

// The place is removed, and only then the one ahead leaves. The ends of two keys may be
// told in any order; the waiter must never take the second for its turn.
func TestARemovedWaiterIsNeverGranted(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, waiters int) {
		cluster := etcdserver.Start(t, 1)
		d := newDriver(t, cluster, nil)
		first, second := openSession(t, d, time.Minute), openSession(t, newDriver(t, cluster, nil), time.Minute)
		var crowd []driver.Session // behind, so that the line is as long as it shall be
		for range waiters - 2 {
			crowd = append(crowd, openSession(t, d, time.Minute))
		}
		for round := range 60 {
			held := enter(t, first, mutex("orders"))
			var ahead []driver.Place
			for _, ses := range crowd {
				ahead = append(ahead, enter(t, ses, mutex("orders")))
			}
			victim := enter(t, second, mutex("orders"))
			outcome := make(chan error, 1)
			go func() { // ends with the removal
				_, err := second.Wait(t.Context(), victim)
				outcome <- err
			}()
			if err := d.Evict(t.Context(), "orders", victim.ID, driver.Eviction{Force: true}); err != nil {
				t.Fatal(err)
			}
			leave(t, first, held)
			for i, ses := range crowd {
				leave(t, ses, ahead[i])
			}
			if err := <-outcome; !errors.Is(err, driver.ErrGone) {
				t.Fatalf("round %d: the wait of a removed place ended with the error %v, want gone", round, err)
			}
		}
	})
}

// S49: names that are used once leave nothing but the session's record.
func TestNamesUsedOnceLeaveNothing(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	client := cluster.Client(t)
	d := newDriver(t, cluster, nil)
	ses := openSession(t, d, time.Minute)
	base := get(t, client, "", clientv3.WithPrefix(), clientv3.WithCountOnly()).Count
	for i := range 200 {
		p := enter(t, ses, mutex(fmt.Sprintf("once/%d", i)))
		if i%10 == 0 {
			if err := d.Evict(t.Context(), p.Line, p.ID, driver.Eviction{Reason: "go"}); err != nil {
				t.Fatal(err)
			}
		}
		leave(t, ses, p)
	}
	if marks, err := ses.Renew(t.Context()); err != nil || len(marks) != 0 {
		t.Errorf("Renew told of %d marks, error %v, want none: their places are gone", len(marks), err)
	}
	if got := get(t, client, "", clientv3.WithPrefix(), clientv3.WithCountOnly()).Count; got != base {
		t.Errorf("%d keys are left, want the %d from before", got, base)
	}
	if err := ses.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := get(t, client, "", clientv3.WithPrefix(), clientv3.WithCountOnly()).Count; got != base-1 {
		t.Errorf("%d keys are left after the session, want %d", got, base-1)
	}
}
