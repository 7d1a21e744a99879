package zk_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/test/zkserver"
)

// The command on ZooKeeper: a lock is held while a child runs, with a token; another one is
// busy meanwhile; and the ones who look see it.
func TestCommand(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	program := filepath.Join(t.TempDir(), "holdgate")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/holdgate/holdgate/cmd/holdgate").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	store := "--store=zk://" + strings.Join(e.Addresses(), ",") + "/chroot/locks?tick=" + zkserver.Tick.String()
	run := func(args ...string) (string, int) {
		t.Helper()
		var out bytes.Buffer
		cmd := exec.CommandContext(bounded(t), program, args...)
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return out.String(), cmd.ProcessState.ExitCode()
	}
	// A busy machine keeps a long time to live.
	const ttl = "--ttl=60s"
	out, code := run("run", store, ttl, "deploy", "--", "sh", "-c", "echo $HOLDGATE_FENCING_TOKEN")
	token, err := strconv.ParseUint(strings.TrimSpace(out), 10, 64)
	if code != 0 || err != nil || token == 0 {
		t.Fatalf("run: exit code %d, %q", code, out)
	}
	inner := []string{"run", "-n", store, ttl, "deploy", "--", "true"}
	outer := append([]string{"run", store, ttl, "deploy", "--", program}, inner...)
	if out, code := run(outer...); code != 75 {
		t.Errorf("a lock that is held, from the command that it is held for: exit code %d, want 75\n%s", code, out)
	}
	if out, code := run("run", store, ttl, "deploy", "--", program, "ls", store); code != 0 || !strings.Contains(out, "deploy") {
		t.Errorf("ls while it is held: exit code %d\n%s", code, out)
	}
	if out, code := run("run", "--store=zk://127.0.0.1:1", "--ttl=6s", "deploy", "--", "true"); code != 69 {
		t.Errorf("a server that is not there: exit code %d, want 69\n%s", code, out)
	}
}
