package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// node is a member of a cluster, with what it was started with.
type node struct {
	*process
	args    []string
	address string
}

// trio starts three members, given each other's addresses.
func trio(t *testing.T) []*node {
	t.Helper()
	var peers []string
	for range 3 {
		peers = append(peers, freeAddress(t))
	}
	var nodes []*node
	for _, peer := range peers {
		n := &node{address: freeAddress(t)}
		n.args = []string{
			"--data-dir", dataDirOf(t), "--listen", n.address, "--peer-listen", peer, "--cluster", strings.Join(peers, ","),
		}
		n.process = launch(t, nil, n.args)
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		n.wantTold("READY=1")
	}
	return nodes
}

// leader is the index of the node that leads.
func leader(t *testing.T, nodes []*node) int {
	t.Helper()
	c := dial(t, clientv3.Config{Endpoints: addresses(nodes)})
	for i, n := range nodes {
		r, err := c.Status(bounded(t), n.address)
		if err != nil {
			t.Fatalf("Status: %v", err)
		}
		if r.Leader == r.Header.MemberId {
			return i
		}
	}
	t.Fatal("nobody leads")
	return -1
}

func addresses(nodes []*node) []string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.address)
	}
	return all
}

// One may go: locking goes on, and sessions live.
func TestThreeMembersLoseOne(t *testing.T) {
	t.Parallel()
	nodes := trio(t)
	first := leader(t, nodes)
	rest := slices.Delete(slices.Clone(nodes), first, first+1)
	c := dial(t, clientv3.Config{Endpoints: addresses(rest)})
	lease := session(t, c, "hold")
	nodes[first].kill()

	lockAndUnlock(t, c)
	wantSession(t, c, lease, "hold")

	serveProcess(t, nodes[first].args...) // with its data, as a unit would start it
	lockAndUnlock(t, dial(t, clientv3.Config{Endpoints: []string{nodes[first].address}}))
}

// A member that joins is killed in the middle, and started again by the same command.
func TestJoinSurvivesKill(t *testing.T) {
	t.Parallel()
	first := freeAddress(t)
	serveProcess(t, "--data-dir", dataDirOf(t), "--listen", first, "--peer-listen", freeAddress(t))
	c := dial(t, clientv3.Config{Endpoints: []string{first}})
	lease := session(t, c, "hold")

	second := freeAddress(t)
	args := []string{"--data-dir", dataDirOf(t), "--listen", second, "--peer-listen", freeAddress(t), "--join", first}
	joining := launch(t, nil, args)
	wantMembers(t, c, func(m *clientv3.MemberListResponse) bool { return len(m.Members) == 2 })
	joining.kill()

	serveProcess(t, args...)
	wantMembers(t, c, func(m *clientv3.MemberListResponse) bool {
		return !m.Members[0].IsLearner && !m.Members[1].IsLearner
	})
	wantSession(t, c, lease, "hold")

	third := freeAddress(t)
	serveProcess(t, "--data-dir", dataDirOf(t), "--listen", third, "--peer-listen", freeAddress(t), "--join", second)
	wantSession(t, dial(t, clientv3.Config{Endpoints: []string{third}}), lease, "hold")

	out, stderr, code := run(t, nil, "member", "list", "--listen", third)
	if code != 0 || strings.Count(out, "\n") != 4 || strings.Count(out, "leader") != 1 || strings.Count(out, "follower") != 2 {
		t.Errorf("member list: exit code %d:\n%s%s", code, out, stderr)
	}
}

// wantMembers waits until the list of members is as it should be. Without a majority, as when
// one of two is killed, it cannot be had, and is not.
func wantMembers(t *testing.T, c *clientv3.Client, want func(*clientv3.MemberListResponse) bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx := bounded(t); ; {
		try, cancel := context.WithTimeout(ctx, time.Second)
		got, err := c.MemberList(try)
		cancel()
		if err == nil && want(got) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("members: %v, error %v", got, err)
		}
	}
}
