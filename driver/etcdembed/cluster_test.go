package etcdembed_test

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// trio are options for three members of a new cluster.
func trio(t *testing.T) []etcdembed.Options {
	t.Helper()
	members := []etcdembed.Options{meeting(t), meeting(t), meeting(t)}
	var all []string
	for _, o := range members {
		all = append(all, o.ListenPeer)
	}
	for i := range members {
		members[i].Cluster = all
	}
	return members
}

// startAll starts members that wait for each other.
func startAll(t *testing.T, members []etcdembed.Options) []*etcdembed.Server {
	t.Helper()
	servers := make([]*etcdembed.Server, len(members))
	var all sync.WaitGroup
	for i, o := range members {
		all.Go(func() {
			s, err := etcdembed.Start(bounded(t), o)
			if err != nil {
				t.Errorf("Start of member %d: %v", i, err)
				return
			}
			servers[i] = s
			t.Cleanup(func() { stop(t, s) })
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return servers
}

// leader waits until a server leads, and returns its index.
func leader(t *testing.T, servers []*etcdembed.Server) int {
	t.Helper()
	leader := -1
	err := eventually(t, func() error {
		for i, s := range servers {
			r, err := client(t, s).Status(bounded(t), s.Endpoints()[0])
			if err != nil {
				return err
			}
			if r.Leader == r.Header.MemberId {
				leader = i
				return nil
			}
		}
		return errors.New("no member leads")
	})
	if err != nil {
		t.Fatal(err)
	}
	return leader
}

func members(t *testing.T, c *clientv3.Client) (voters, learners int) {
	t.Helper()
	r, err := c.MemberList(bounded(t))
	if err != nil {
		t.Fatalf("MemberList: %v", err)
	}
	for _, m := range r.Members {
		if m.IsLearner {
			learners++
		} else {
			voters++
		}
	}
	return voters, learners
}

// S77 once: the leader leaves, and comes back with its data.
func TestThreeMembersGoOnWithTwo(t *testing.T) {
	t.Parallel()
	opts := trio(t)
	var handingOver atomic.Int32
	for i := range opts {
		opts[i].LogLevel = slog.LevelInfo
		opts[i].Logger = slog.New(onRecord(func(r slog.Record) {
			if r.Message == "leadership transfer starting" {
				handingOver.Add(1)
			}
		}))
	}
	servers := startAll(t, opts)
	first := leader(t, servers)
	others := slices.Delete(slices.Clone(servers), first, first+1)
	c := client(t, others[0])
	lease := session(t, c, "hold", time.Minute)

	stop(t, servers[first])
	if handingOver.Load() != 1 {
		t.Error("a leader that is closed does not hand over, so the others have to elect")
	}
	lockAndUnlock(t, c)
	if _, err := c.KeepAliveOnce(bounded(t), lease); err != nil || !exists(t, c, "hold") {
		t.Errorf("the session is lost with the leader: %v", err)
	}

	lockAndUnlock(t, client(t, start(t, opts[first])))
}

// lockAndUnlock takes etcd's own lock.
func lockAndUnlock(t *testing.T, c *clientv3.Client) {
	t.Helper()
	s, err := concurrency.NewSession(c)
	if err != nil {
		t.Fatalf("NewSession: %v", err)
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "lock")
	if err := m.Lock(bounded(t)); err != nil {
		t.Fatalf("Lock: %v", err)
	}
	if err := m.Unlock(bounded(t)); err != nil {
		t.Fatalf("Unlock: %v", err)
	}
}

// One of three was restored from a backup, and the others are started as if it was new.
func TestClusterIsNotFoundedAroundAnother(t *testing.T) {
	t.Parallel()
	restored := meeting(t)
	start(t, restored)
	o := meeting(t)
	o.Cluster = []string{restored.ListenPeer, o.ListenPeer, freeAddress(t)}
	_, err := etcdembed.Start(bounded(t), o)
	wantIs(t, err, etcdembed.ErrRefused)
}

func TestRemovedMemberEnds(t *testing.T) {
	t.Parallel()
	servers := startAll(t, trio(t))
	c := client(t, servers[0])
	r, err := client(t, servers[1]).Status(bounded(t), servers[1].Endpoints()[0])
	if err != nil {
		t.Fatal(err)
	}
	// etcd refuses until its members have been connected for a while.
	removed := func() error {
		_, err := c.MemberRemove(bounded(t), r.Header.MemberId)
		return err
	}
	if err := eventually(t, removed); err != nil {
		t.Fatalf("MemberRemove: %v", err)
	}
	select {
	case <-servers[1].Done():
	case <-bounded(t).Done():
		t.Fatal("a member that was removed goes on")
	}
	wantIs(t, servers[1].Err(), etcdembed.ErrRemoved)
}

// eventually repeats a request that etcd refuses for now, and returns the last error.
func eventually(t *testing.T, request func() error) error {
	t.Helper()
	ctx := bounded(t)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		err := request()
		if err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return err
		}
	}
}
