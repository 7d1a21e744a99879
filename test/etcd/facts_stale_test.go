package etcd_test

import (
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// The reason why Renew compares terms: a leader that was replaced while it slept answers
// that it has renewed a lease, for a moment after it wakes. The one that leads by then
// knows nothing of it.
func TestFactALeaderThatSleptRenewsLeases(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 3)
	lease := grant(t, cluster.Client(t), 60)
	const most = 10
	for round := range most {
		old := cluster.Leader(t)
		var others []string
		for _, m := range cluster.Members {
			if m != old {
				others = append(others, m.Endpoint())
			}
		}
		stream, err := pb.NewLeaseClient(etcdserver.Dial(t, clientOf(old)).ActiveConnection()).LeaseKeepAlive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		renew := func() {
			if err := stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(lease.ID)}); err != nil {
				t.Fatal(err)
			}
		}
		renew()
		if _, err := stream.Recv(); err != nil {
			t.Fatal(err)
		}
		config := clientOf(old)
		config.Endpoints = others
		awake := etcdserver.Dial(t, config)
		old.Pause()
		term := get(t, awake, "/a").Header.RaftTerm // comes back once they have a leader
		put(t, awake, "/a", "")
		wait(t, 2500*time.Millisecond) // so that the lease's time shows who renewed it
		before, err := awake.TimeToLive(t.Context(), lease.ID)
		if err != nil {
			t.Fatal(err)
		}
		renew()
		old.Resume()
		answer, err := stream.Recv()
		if err != nil {
			t.Logf("round %d: the renewal was refused: %v", round+1, err)
			continue
		}
		after, err := awake.TimeToLive(t.Context(), lease.ID)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: in term %d, when the others were in %d, a renewal was answered with %d s; of the lease %d s were left before it, %d after",
			round+1, answer.Header.RaftTerm, term, answer.TTL, before.TTL, after.TTL)
		if answer.TTL > 0 && after.TTL <= before.TTL {
			if answer.Header.RaftTerm >= term {
				t.Errorf("the renewal that did not count tells term %d, want less than %d", answer.Header.RaftTerm, term)
			}
			return
		}
	}
	t.Errorf("in %d rounds no leader that slept answered a renewal", most)
}
