package command_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// S14 and S70 for the command: the lease is revoked. The command is ended, the next one gets the
// lock.
func TestLeaseRevoked(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	p := at(t, url(c))
	holder, pid := p.held("x", "--ttl", ttl.String())
	next := p.start("run", "x", "--", "echo", "mine")
	await(t, c, "x", 2)

	client := c.Client(t)
	if _, err := client.Revoke(t.Context(), holding(t, client, "x")); err != nil {
		t.Fatal(err)
	}
	holder.wantCode(79)
	if said := holder.stderr.String(); !strings.Contains(said, `lock lost: "x": session gone`) {
		t.Errorf("it says %q", said)
	}
	if !gone(pid) {
		t.Error("the command lives on")
	}
	next.wantCode(0)
}

// holding is the lease of the first place in a line.
func holding(t *testing.T, client *clientv3.Client, line string) clientv3.LeaseID {
	t.Helper()
	places, err := client.Get(t.Context(), "/holdgate/"+line+"/", clientv3.WithFirstCreate()...)
	if err != nil || len(places.Kvs) != 1 {
		t.Fatalf("the first place of %q: %v, %v", line, places, err)
	}
	return clientv3.LeaseID(places.Kvs[0].Lease)
}

// S70: no member answers. The command is asked to end, then killed, both before the store can
// give the lock to another.
func TestStoreHangs(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	p := at(t, url(c))
	const grace = time.Second
	r := p.start("run", "x", "--ttl", ttl.String(), "--grace", grace.String(), "--", "sh", "-c",
		`trap "echo asked" TERM; echo $$; while :; do sleep 0.05; done`)
	pid, err := strconv.Atoi(r.line())
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	c.Members[0].Pause()
	if got := r.line(); got != "asked" {
		t.Errorf("it prints %q, want that it is asked to end", got)
	}
	deadline := begun.Add(ttl) // of the last renewal, at the latest
	awaitEnd(t, pid)
	if late := time.Since(deadline); late > 0 {
		t.Errorf("the command was there %v after the store could give the lock away", late)
	}
	c.Members[0].Resume() // it is told that the lock is given back
	r.wantCode(79)
	if said := r.stderr.String(); !strings.Contains(said, "lock not renewed in time") {
		t.Errorf("it says %q", said)
	}
}

// S44: kill -9 of the holder. The command dies with it, and the next one gets the lock one TTL
// later, and what etcd takes to notice.
func TestHolderKilled(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 3)
	p := at(t, url(c))
	const short, expirySlack = 3 * time.Second, 2 * time.Second // docs/guarantees.md
	holder, pid := p.held("x", "--ttl", short.String())
	next := p.start("run", "x", "--ttl", short.String(), "--", "echo", "mine")
	await(t, c, "x", 2)

	begun := time.Now()
	if err := holder.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := next.line(); got != "mine" {
		t.Errorf("the next one prints %q", got)
	}
	took := time.Since(begun)
	if limit := short + expirySlack + time.Second; took > limit {
		t.Errorf("the lock was free %v after its holder was killed, want at most %v", took, limit)
	}
	t.Logf("taken over %v after the kill, TTL %v", took, short)
	if !gone(pid) {
		t.Error("the command of the killed one lives on")
	}
	next.wantCode(0)
}

// The whole of what acquire does, on etcd: the keeper in the background has the lock, and the
// shell that it was for.
func TestAcquire(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	p := at(t, url(c))
	script := filepath.Join(p.dir, "script.sh")
	err := os.WriteFile(script, []byte(`
h=$("$1" acquire x --for-pid $$ --ttl 6s) || exit 1
"$1" run x -n -q -- true; echo busy $?
"$1" release "$h"; echo released $?
"$1" run x -n -q -- true; echo free $?
"$1" acquire x --for-pid $$ >/dev/null
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	stdout, _ := p.run(0, "run", "other", "--", "sh", script, program)
	if want := "busy 75\nreleased 0\nfree 0\n"; stdout != want {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}
	await(t, c, "x", 0) // the shell has ended, without a release
}
