package interop_test

import (
	"os/exec"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

func TestZooKeeper(t *testing.T) {
	t.Parallel()
	address := zkserver.Start(t, 1, zkserver.Config{}).Servers[0].Address()
	for name, other := range map[string]func(t *testing.T, lock string) *exec.Cmd{
		"Curator InterProcessMutex": func(t *testing.T, lock string) *exec.Cmd { return inJava(t, "Main.java", address, lock) },
		"Kazoo Lock": func(t *testing.T, lock string) *exec.Cmd {
			return inPython(t, "kazoo", "kazoo_lock.py", address, lock, "-lock-")
		},
		"go-zookeeper Lock": func(t *testing.T, lock string) *exec.Cmd { return inGo(t, "go-zookeeper", address, lock) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lock := "/locks/" + name
			pairing{other: other(t, lock), lock: lock, drv: zookeeper(t, address, zkdriver.Options{Verbatim: true})}.check(t)
		})
	}
	t.Run("ephemeral node", func(t *testing.T) {
		t.Parallel()
		pairing{
			other: inGo(t, "ephemeral", address, "/jobs/nightly"), lock: "/jobs/nightly",
			drv: zookeeper(t, address, zkdriver.Options{Verbatim: true, Layout: driver.LayoutSingle}),
		}.check(t)
	})
	t.Run("Kazoo Lock without the pattern", func(t *testing.T) {
		t.Parallel()
		walksPast(t, inPython(t, "kazoo", "kazoo_lock.py", address, "/locks/lonely"), zookeeper(t, address, zkdriver.Options{Verbatim: true}))
	})
}

// walksPast pins what the documentation warns of: Kazoo's Lock without our pattern does not
// see our places. That cannot be told from its nodes, which are the same with it. If this
// fails the warning can go.
func walksPast(t *testing.T, cmd *exec.Cmd, drv driver.Driver) {
	t.Helper()
	client, err := holdgate.New(drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(t.Context()); _ = drv.Close() })
	other := startPeer(t, cmd)
	hold, err := client.Mutex("/locks/lonely").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	other.order(t, "lock")
	other.answersWith(t, "locked")
	if err := hold.Verify(bounded(t)); err != nil {
		t.Errorf("our hold: %v", err)
	}
}

func zookeeper(t *testing.T, address string, o zkdriver.Options) driver.Driver {
	t.Helper()
	o.Tick = zkserver.Tick
	d, err := zkdriver.New([]string{address}, &o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
