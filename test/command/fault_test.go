package command_test

import (
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// ttl is what the commands of these tests ask for. To leave a member that hangs, and to have
// a new leader elected, took more than 8 s where two cores had twenty things to do.
const ttl = 12 * time.Second

// grace is short: a command that needs none is asked to end late, so that a renewal that a
// member swallowed can be repeated elsewhere also where everything is slow.
const grace = "100ms"

// stays fails when the command ends within d: that it goes on for so long is what is shown.
func (r *running) stays(d time.Duration) {
	r.t.Helper()
	select {
	case <-r.exited:
		r.t.Fatalf("%q has ended: %v: %s", r.cmd.Args[1:], r.cmd.ProcessState, &r.stderr)
	case <-time.After(d):
	}
	r.echoes("still here")
}

// moveLeader has another member lead.
func moveLeader(t *testing.T, c *etcdserver.Cluster) {
	t.Helper()
	leader := c.Leader(t)
	client := etcdserver.Dial(t, clientv3.Config{Endpoints: []string{leader.Endpoint()}})
	status, err := client.Status(t.Context(), leader.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	members, err := client.MemberList(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members.Members {
		if m.ID == status.Leader {
			continue
		}
		if _, err := client.MoveLeader(t.Context(), m.ID); err != nil {
			t.Fatal(err)
		}
		return
	}
}

// A command keeps its lock through a move of the leader, and through the end of a member; others
// wait for it meanwhile, and get it afterwards.
func TestLeaderMovesAndMemberIsKilled(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 3)
	p := at(t, url(c))
	holder, _ := p.held("x", "--ttl", ttl.String(), "--grace", grace)
	next := p.start("run", "x", "--ttl", ttl.String(), "--", "echo", "mine")
	await(t, c, "x", 2)

	moveLeader(t, c)
	holder.stays(ttl + ttl/6)
	leader := c.Leader(t)
	leader.Kill()
	holder.stays(ttl + ttl/6)

	// Locking goes on with two of three.
	p.run(0, "run", "y", "--ttl", ttl.String(), "--", "true")
	p.run(75, "run", "x", "-n", "-q", "--", "true")

	_ = holder.stdin.Close()
	holder.wantCode(0)
	next.wantCode(0)
	if got := next.line(); got != "mine" {
		t.Errorf("the next one prints %q", got)
	}

	// The member is taken back, and another may go.
	leader.Restart()
	for _, m := range c.Members {
		if m != leader {
			m.Kill()
			break
		}
	}
	p.run(0, "run", "z", "--ttl", ttl.String(), "--", "true")
}

// Members hang one after the other: each is left before the lock is, and taken back, since
// one alone would not do. The leader hangs for less than a TTL: one that was stopped for
// longer may end the lock when it goes on (docs/guarantees.md, etcd).
func TestMembersHang(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 3)
	p := at(t, url(c))
	holder, _ := p.held("x", "--ttl", ttl.String(), "--grace", grace)
	for _, m := range c.Members {
		long := ttl + ttl/6
		if m == c.Leader(t) {
			long = ttl / 2
		}
		hung := time.Now()
		m.Pause()
		p.run(0, "run", "y", "--ttl", ttl.String(), "--", "true")
		if took := time.Since(hung); took > ttl {
			t.Errorf("a lock took %v while a member hangs", took)
		}
		holder.stays(time.Until(hung.Add(long)))
		m.Resume()
		holder.stays(0)
	}
	_ = holder.stdin.Close()
	holder.wantCode(0)
}
