package etcd_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

func grant(t *testing.T, client *clientv3.Client, ttl int64) *clientv3.LeaseGrantResponse {
	t.Helper()
	lease, err := client.Grant(t.Context(), ttl)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func TestFactTTLsAreWholeSecondsAndTwoAtLeast(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	for ask, want := range map[int64]int64{1: 2, 2: 2, 3: 3, 60: 60} {
		if got := grant(t, client, ask).TTL; got != want {
			t.Errorf("asked for %d s: got %d s, want %d s", ask, got, want)
		}
	}
	if _, err := client.Grant(t.Context(), clientv3.MaxLeaseTTL+1); !errors.Is(err, rpctypes.ErrLeaseTTLTooLarge) {
		t.Errorf("asked for more than the most: got the error %v", err)
	}
}

func TestFactALeaseThatIsGoneIsNotFound(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	lease := grant(t, client, 60)
	put(t, client, "/a", "", clientv3.WithLease(lease.ID))
	if _, err := client.Revoke(t.Context(), lease.ID); err != nil {
		t.Fatal(err)
	}
	if n := get(t, client, "/a").Count; n != 0 {
		t.Error("a key outlived its lease")
	}
	_, putErr := client.Put(t.Context(), "/a", "", clientv3.WithLease(lease.ID))
	_, renewErr := client.KeepAliveOnce(t.Context(), lease.ID)
	_, revokeErr := client.Revoke(t.Context(), lease.ID)
	for what, err := range map[string]error{"put": putErr, "renewal": renewErr, "revocation": revokeErr} {
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			t.Errorf("%s on a lease that is gone: got the error %v, want %q", what, err, rpctypes.ErrLeaseNotFound)
		}
	}
	left, err := client.TimeToLive(t.Context(), lease.ID)
	if err != nil || left.TTL != -1 {
		t.Errorf("got the time to live %d, error %v, want -1", left.TTL, err)
	}
}

func TestFactALeaseListsTheNamesOfItsKeys(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	lease := grant(t, client, 60)
	put(t, client, "/a", "value", clientv3.WithLease(lease.ID))
	put(t, client, "/b", "value", clientv3.WithLease(lease.ID))
	put(t, client, "/b", "value") // leaves the lease
	left, err := client.TimeToLive(t.Context(), lease.ID, clientv3.WithAttachedKeys())
	if err != nil {
		t.Fatal(err)
	}
	if len(left.Keys) != 1 || string(left.Keys[0]) != "/a" {
		t.Errorf("got the keys %q, want /a", left.Keys)
	}
}

// A key whose value is written with a lease stays on it; so an update names it again.
func TestFactAPutWithoutALeaseLeavesIt(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	lease := grant(t, client, 60)
	put(t, client, "/a", "", clientv3.WithLease(lease.ID))
	onLease := clientv3.Compare(clientv3.LeaseValue("/a"), "=", lease.ID)
	if !commit(t, client, []clientv3.Op{clientv3.OpPut("/a", "new", clientv3.WithLease(lease.ID))}, nil, onLease).Succeeded {
		t.Error("a key does not compare equal to its lease")
	}
	put(t, client, "/a", "newer")
	if commit(t, client, nil, nil, onLease).Succeeded {
		t.Error("a key stays on the lease that it was not written with")
	}
}

func TestFactAChangeOfLeaderStartsLeasesAnew(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	client := cluster.Client(t)
	const ttl = 60
	lease := grant(t, client, ttl)
	began := time.Now()
	remaining := func() int64 {
		left, err := client.TimeToLive(t.Context(), lease.ID)
		if err != nil {
			t.Fatal(err)
		}
		return left.TTL
	}
	for remaining() > ttl-4 {
		wait(t, 200*time.Millisecond)
	}
	moveLeader(t, cluster)
	if got := remaining(); got < ttl-2 {
		t.Errorf("%v after the grant a new leader says that %d s of %d are left, want it to have started anew",
			time.Since(began), got, ttl)
	}
}

// moveLeader has another member lead.
func moveLeader(t *testing.T, cluster *etcdserver.Cluster) {
	t.Helper()
	leader := cluster.Leader(t)
	client := etcdserver.Dial(t, clientv3.Config{Endpoints: []string{leader.Endpoint()}})
	for _, m := range cluster.Members {
		if m == leader {
			continue
		}
		status, err := client.Status(t.Context(), m.Endpoint())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.MoveLeader(t.Context(), status.Header.MemberId); err != nil {
			t.Fatal(err)
		}
		return
	}
}

// wait lets the store's clock go on, where nothing tells that it has.
func wait(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

func TestFactAPutThatTimedOutMayHappenLater(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	leader := cluster.Leader(t)
	client := etcdserver.Dial(t, clientv3.Config{Endpoints: []string{leader.Endpoint()}})
	changes, _ := watchFrom(t, client, "/late")
	for _, m := range cluster.Members {
		if m != leader {
			m.Pause()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	// The server knows the deadline, too, and may be the first to tell.
	if _, err := client.Put(ctx, "/late", ""); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, rpctypes.ErrTimeout) {
		t.Fatalf("a put without a quorum: got the error %v, want a timeout", err)
	}
	for _, m := range cluster.Members {
		if m != leader {
			m.Resume()
		}
	}
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	select {
	case change := <-changes:
		if len(change.Events) != 1 {
			t.Errorf("got %+v, want the put that timed out", change)
		}
	case <-limit.C:
		t.Error("a put that timed out at its client was not carried out")
	}
}

// What a member says about a lease is not confirmed by the others. So it is no proof
// that a place is gone; a read of the key is.
func TestFactAMemberThatSleptReadsTheTruth(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	old := cluster.Leader(t)
	lease := grant(t, cluster.Client(t), 60)
	var others []string
	for _, m := range cluster.Members {
		if m != old {
			others = append(others, m.Endpoint())
		}
	}
	asleep := etcdserver.Dial(t, clientv3.Config{Endpoints: []string{old.Endpoint()}})
	get(t, asleep, "/connected")
	old.Pause()
	awake := etcdserver.Dial(t, clientv3.Config{Endpoints: others})
	get(t, awake, "/connected") // comes back once they have a leader
	put(t, awake, "/new", "", clientv3.WithLease(lease.ID))
	old.Resume()
	// At once: it may still think that it leads.
	left, err := asleep.TimeToLive(t.Context(), lease.ID, clientv3.WithAttachedKeys())
	t.Logf("the lease, by the member that slept: keys %q, error %v", left.Keys, err)
	if n := get(t, asleep, "/new").Count; n != 1 {
		t.Error("a linearizable read by a member that slept misses a key")
	}
	stale, err := asleep.Get(t.Context(), "/new", clientv3.WithSerializable(), clientv3.WithRev(get(t, awake, "/new").Header.Revision))
	if err == nil && stale.Count != 1 || err != nil && !errors.Is(err, rpctypes.ErrFutureRev) {
		t.Errorf("a read at a revision by a member that slept: got %v, error %v, want the key, or that it is of the future", stale, err)
	}
}
