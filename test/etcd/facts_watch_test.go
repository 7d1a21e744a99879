package etcd_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// watchFrom opens a watch and returns once it was created.
func watchFrom(t *testing.T, client *clientv3.Client, key string, options ...clientv3.OpOption) (clientv3.WatchChan, int64) {
	t.Helper()
	changes := client.Watch(t.Context(), key, append(options, clientv3.WithCreatedNotify())...)
	created := <-changes
	if created.Err() != nil || !created.Created {
		t.Fatalf("got %+v, error %v, want the news that the watch was created", created, created.Err())
	}
	return changes, created.Header.Revision
}

func TestFactAWatchIntoThePastIsSlow(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	// The loop that serves such watches runs ten times a second, so one of them waits for
	// 50 ms on average; a watch of the present does not.
	const rounds = 10
	var past time.Duration
	for i := range rounds {
		key := "/past/" + strconv.Itoa(i)
		revision := put(t, client, key, "")
		began := time.Now()
		if change := <-client.Watch(t.Context(), key, clientv3.WithRev(revision)); len(change.Events) != 1 {
			t.Fatalf("got %+v, want one event", change)
		}
		past += time.Since(began)
	}
	var present time.Duration
	for i := range rounds {
		key := "/present/" + strconv.Itoa(i)
		changes, _ := watchFrom(t, client, key)
		began := time.Now()
		put(t, client, key, "")
		if change := <-changes; len(change.Events) != 1 {
			t.Fatalf("got %+v, want one event", change)
		}
		present += time.Since(began)
	}
	t.Logf("until the event: %v from the past, %v from the present with its commit", past/rounds, present/rounds)
	if past < present {
		t.Errorf("a watch into the past took %v, one of the present with its commit %v: the reason to avoid the former is gone",
			past/rounds, present/rounds)
	}
}

// A member that lags begins a watch before writes that others have answered: so whoever
// then reads must read no older state than its own last write.
func TestFactALaggingMemberBeginsAWatchInThePast(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	leader := cluster.Leader(t)
	lagging := cluster.Members[0]
	if lagging == leader {
		lagging = cluster.Members[1]
	}
	slow, writer := etcdserver.Dial(t, clientOf(lagging)), etcdserver.Dial(t, clientOf(leader))
	watchFrom(t, slow, "/connected")
	const most = 20
	for round := range most {
		lagging.Pause()
		var revision int64
		for range 100 {
			revision = put(t, writer, "/a", "")
		}
		asked := make(chan int64, 1)
		go func() { // ends with the answer
			created := <-slow.Watch(t.Context(), "/b/"+strconv.Itoa(round), clientv3.WithCreatedNotify())
			asked <- created.Header.Revision
		}()
		wait(t, 50*time.Millisecond) // the request is on its way
		lagging.Resume()
		if began := <-asked; began < revision {
			t.Logf("in round %d the watch began at revision %d, after an answer of %d", round+1, began, revision)
			return
		}
	}
	t.Errorf("in %d rounds no watch began in the past", most)
}

// Nothing is lost between the creation of a watch and a read that is no older.
func TestFactAWatchTellsAllAfterItsCreation(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	before := put(t, client, "/a", "before")
	changes, created := watchFrom(t, client, "/a")
	if created < before {
		t.Fatalf("created at revision %d, after a write at %d", created, before)
	}
	after := put(t, client, "/a", "after")
	if change := <-changes; len(change.Events) != 1 || change.Events[0].Kv.ModRevision != after {
		t.Errorf("got %+v, want the one change at revision %d", change, after)
	}
}

func TestFactOneTransactionIsOneMessage(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	put(t, client, "/a/old", "")
	changes, _ := watchFrom(t, client, "/a/", clientv3.WithPrefix())
	for range 20 {
		commit(t, client, []clientv3.Op{clientv3.OpDelete("/a/old"), clientv3.OpPut("/a/new", "")}, nil)
		if change := <-changes; len(change.Events) != 2 {
			t.Fatalf("got %d events, want the end of one place and the beginning of another together", len(change.Events))
		}
		commit(t, client, []clientv3.Op{clientv3.OpDelete("/a/new"), clientv3.OpPut("/a/old", "")}, nil)
		<-changes
	}
}

func TestFactAWatchBehindACompactionIsCancelled(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	old := put(t, client, "/idle", "")
	var now int64
	for range 10 {
		now = put(t, client, "/other", "")
	}
	if _, err := client.Compact(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	// So is one that a client resumes, after a broken connection, where it was last told of
	// something: nothing happened to its own key since.
	change := <-client.Watch(t.Context(), "/idle", clientv3.WithRev(old+1))
	if !errors.Is(change.Err(), rpctypes.ErrCompacted) || change.CompactRevision != now {
		t.Errorf("got the error %v at revision %d, want compacted at %d", change.Err(), change.CompactRevision, now)
	}
}

// A watch that was given up is awaited by nobody: two of them are not one ordered
// stream for whoever reads both.
func TestFactTwoWatchesAreNotOneOrderedStream(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	const most = 5000
	for round := range most {
		first, second := "/a/"+strconv.Itoa(round), "/b/"+strconv.Itoa(round)
		put(t, client, first, "")
		put(t, client, second, "")
		ctx, cancel := context.WithCancel(t.Context())
		a, b := client.Watch(ctx, first, clientv3.WithCreatedNotify()), client.Watch(ctx, second, clientv3.WithCreatedNotify())
		<-a
		<-b
		if _, err := client.Delete(ctx, first); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Delete(ctx, second); err != nil {
			t.Fatal(err)
		}
		inOrder := true
		select {
		case <-a:
		case <-b:
			inOrder = false
		}
		cancel()
		if !inOrder {
			t.Logf("in round %d of at most %d the later end was seen first", round+1, most)
			return
		}
	}
	t.Errorf("in %d rounds the ends were always seen in order", most)
}
