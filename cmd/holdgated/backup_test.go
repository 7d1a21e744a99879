package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Tokens are create revisions, so what was given after the backup must not be given again.
func TestRestoreNeverSetsTokensBack(t *testing.T) {
	t.Parallel()
	address, file := freeAddress(t), filepath.Join(t.TempDir(), "backup")
	p := serveProcess(t, "--data-dir", dataDirOf(t), "--listen", address)
	c := dial(t, clientv3.Config{Endpoints: []string{address}})
	lease := session(t, c, "hold")
	if out, stderr, code := run(t, nil, "backup", file, "--listen", address); code != 0 {
		t.Fatalf("backup: exit code %d: %s%s", code, out, stderr)
	}
	last, err := c.Put(bounded(t), "later", "")
	if err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGTERM)
	p.wantExit(0)

	dir := dataDirOf(t)
	if out, stderr, code := run(t, nil, "restore", file, "--data-dir", dir); code != 0 {
		t.Fatalf("restore: exit code %d: %s%s", code, out, stderr)
	}
	if _, stderr, code := run(t, nil, "restore", file, "--data-dir", dir); code != exitFailed || !strings.Contains(stderr, "member's data") {
		t.Errorf("a second restore: exit code %d and %q, want %d and that there is data", code, stderr, exitFailed)
	}
	serveProcess(t, "--data-dir", dir, "--listen", address)
	wantSession(t, c, lease, "hold")
	next, err := c.Put(bounded(t), "next", "")
	if err != nil {
		t.Fatal(err)
	}
	if next.Header.Revision <= last.Header.Revision {
		t.Errorf("after the restore a token is %d, but %d was given before", next.Header.Revision, last.Header.Revision)
	}
}

func TestNothingToBackUp(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "backup")
	_, stderr, code := run(t, nil, "backup", file, "--listen", freeAddress(t))
	if code != exitUnavailable {
		t.Errorf("backup without a server: exit code %d and %q, want %d", code, stderr, exitUnavailable)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) > 0 {
		t.Errorf("a backup that failed has left %v", left)
	}
}
