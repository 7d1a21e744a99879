package interop_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdgate/holdgate/test/etcdserver"
	"github.com/holdgate/holdgate/test/redisserver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// The URLs that docs/living-with-others.md names say the same to the command as the options
// do in Go: it is busy while the other software holds, and not when that has released.
func TestCommand(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "holdgate")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/holdgate/holdgate/cmd/holdgate")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	etcd := etcdserver.Start(t, 1).Endpoints()[0]
	zookeeper := zkserver.Start(t, 1, zkserver.Config{}).Servers[0].Address()
	redis := redisserver.Start(t, redisserver.Options{}).Address()
	for name, tc := range map[string]struct{ software, address, lock, store string }{
		"etcd, verbatim":      {"concurrency", etcd, "/locks/orders", "etcd://" + etcd + "?verbatim=true"},
		"ZooKeeper, verbatim": {"go-zookeeper", zookeeper, "/locks/orders", "zk://" + zookeeper + "?verbatim=true"},
		"ZooKeeper, single":   {"ephemeral", zookeeper, "/jobs/orders", "zk://" + zookeeper + "?layout=single&verbatim=true"},
		"Redis, single":       {"redsync", redis, "orders", "redis://" + redis + "?layout=single"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := startPeer(t, inGo(t, tc.software, tc.address, tc.lock))
			other.order(t, "lock")
			other.answersWith(t, "locked")
			runs(t, program, tc.store, tc.lock, 75)
			other.order(t, "unlock")
			other.answersWith(t, "unlocked")
			runs(t, program, tc.store, tc.lock, 0)
		})
	}
}

// runs starts a command under the lock, if nobody holds it.
func runs(t *testing.T, program, store, lock string, want int) {
	t.Helper()
	cmd := exec.CommandContext(bounded(t), program, "run", "-n", lock, "--", "true")
	cmd.Env = append(os.Environ(), "HOLDGATE_STORE="+store)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Errorf("holdgate run -n %s on %s: exit code %d, want %d\n%s", lock, store, got, want, out)
	}
}
