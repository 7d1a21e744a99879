package main

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/etcddriver"
)

// locker is a client of Holdgate over these members.
func locker(t *testing.T, addresses ...string) *holdgate.Client {
	t.Helper()
	drv, err := etcddriver.New(dial(t, clientv3.Config{Endpoints: addresses}), nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := holdgate.New(drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
		defer cancel()
		_ = client.Close(ctx) // its server may be gone
		_ = drv.Close()
	})
	return client
}

// tokens are those of so many grants in a row.
func tokens(t *testing.T, client *holdgate.Client, n int) []holdgate.Token {
	t.Helper()
	var all []holdgate.Token
	for range n {
		hold, err := client.Mutex("orders").Lock(bounded(t))
		if err != nil {
			t.Fatalf("Lock: %v", err)
		}
		all = append(all, hold.Token())
		if err := hold.Release(bounded(t)); err != nil {
			t.Fatalf("Release: %v", err)
		}
	}
	return all
}

// A resource that has seen a token refuses those below it. So after a restore they go on
// above all that were ever given, also those that the backup does not know; and so after
// a second one of the same backup.
func TestFencingTokensGrowOverRestores(t *testing.T) {
	t.Parallel()
	address, file := freeAddress(t), filepath.Join(t.TempDir(), "backup")
	p := serveProcess(t, "--data-dir", dataDirOf(t), "--listen", address)
	all := tokens(t, locker(t, address), 3)
	if out, stderr, code := run(t, nil, "backup", file, "--listen", address); code != 0 {
		t.Fatalf("backup: exit code %d: %s%s", code, out, stderr)
	}
	for range 3 {
		all = append(all, tokens(t, locker(t, address), 10)...)
		p.signal(syscall.SIGTERM)
		p.wantExit(0)
		dir := dataDirOf(t)
		if out, stderr, code := run(t, nil, "restore", file, "--data-dir", dir); code != 0 {
			t.Fatalf("restore: exit code %d: %s%s", code, out, stderr)
		}
		p = serveProcess(t, "--data-dir", dir, "--listen", address)
	}
	all = append(all, tokens(t, locker(t, address), 1)...)
	for i := range all[1:] {
		if all[i+1] <= all[i] {
			t.Errorf("grant %d has token %v, after %v", i+1, all[i+1], all[i])
		}
	}
}

// A lock is held while its store grows from one member to three, and then the first goes.
func TestAHoldSurvivesGrowth(t *testing.T) {
	t.Parallel()
	first, second, third := freeAddress(t), freeAddress(t), freeAddress(t)
	p := serveProcess(t, "--data-dir", dataDirOf(t), "--listen", first, "--peer-listen", freeAddress(t))
	client := locker(t, first, second, third) // two of them do not listen yet
	hold, err := client.Mutex("orders").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{second, third} {
		serveProcess(t, "--data-dir", dataDirOf(t), "--listen", address, "--peer-listen", freeAddress(t), "--join", first)
	}
	p.kill()
	for ctx, other := bounded(t), locker(t, second, third).Mutex("orders"); ; {
		_, err := other.TryLock(ctx)
		if errors.Is(err, holdgate.ErrUnavailable) && ctx.Err() == nil {
			continue // the two elect
		}
		if !errors.Is(err, holdgate.ErrBusy) {
			t.Errorf("trying a lock that is held: got the error %v, want busy", err)
		}
		break
	}
	if err := hold.Verify(bounded(t)); err != nil {
		t.Errorf("the hold, asked of the store: %v", err)
	}
	if err := hold.Err(); err != nil {
		t.Errorf("the hold was lost: %v", err)
	}
	if err := hold.Release(bounded(t)); err != nil {
		t.Error(err)
	}
}
