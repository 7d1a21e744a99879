package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestServeUntilSIGTERM(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": os.Interrupt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := freeAddress(t)
			p := serveProcess(t, "--data-dir", dataDirOf(t), "--listen", address)
			lockAndUnlock(t, dial(t, clientv3.Config{Endpoints: []string{address}}))
			p.signal(s)
			p.wantTold("STOPPING=1")
			p.wantExit(0)
			for line := range strings.Lines(p.log.String()) {
				slow := strings.Contains(line, "too long") || strings.Contains(line, "slow") // which the machine may be
				if !slow && (!strings.Contains(line, "level=INFO") || strings.Contains(line, "component=etcd")) {
					t.Errorf("a start and a stop without incident logged %q", line)
				}
			}
		})
	}
}

func TestStopWhileItWaitsForOthers(t *testing.T) {
	t.Parallel()
	peer := freeAddress(t)
	p := launch(t, nil, []string{
		"serve", "--data-dir", dataDirOf(t), "--listen", freeAddress(t), "--peer-listen", peer,
		"--cluster", strings.Join([]string{peer, freeAddress(t), freeAddress(t)}, ","), "--log-level", "debug",
	})
	p.wantLogged("starting a new election")
	p.signal(syscall.SIGTERM)
	p.wantExit(0)
}

// S18: a crash and a restart with the data.
func TestSessionsSurviveKill(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	args := []string{"--data-dir", dataDirOf(t), "--listen", address}
	p := serveProcess(t, args...)
	c := dial(t, clientv3.Config{Endpoints: []string{address}})
	lease := session(t, c, "hold")
	p.kill()

	p = serveProcess(t, args...)
	wantSession(t, dial(t, clientv3.Config{Endpoints: []string{address}}), lease, "hold")
	p.signal(syscall.SIGTERM)
	p.wantExit(0)
}

func TestSocketOfTheFileSystem(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	address := "unix://" + filepath.Join(dir, "s")
	args := []string{"--data-dir", filepath.Join(dir, "data"), "--listen", address}
	serveProcess(t, args...).kill()
	serveProcess(t, args...) // the socket that was left does not matter
	lockAndUnlock(t, dial(t, clientv3.Config{Endpoints: []string{address}}))
	if out, errs, code := run(t, nil, "member", "list", "--listen", address); code != 0 {
		t.Errorf("member list: exit code %d: %s%s", code, out, errs)
	}
}

func TestDataDirectoryInUse(t *testing.T) {
	t.Parallel()
	dir := dataDirOf(t)
	serveProcess(t, "--data-dir", dir, "--listen", freeAddress(t))
	_, stderr, code := run(t, nil, "--data-dir", dir, "--listen", freeAddress(t))
	if code != exitBusy || !strings.Contains(stderr, "data directory is in use") {
		t.Errorf("got exit code %d and %q, want %d and that it is in use", code, stderr, exitBusy)
	}
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	serveProcess(t, "--data-dir", dataDirOf(t), "--listen", address)
	_, stderr, code := run(t, nil, "--data-dir", dataDirOf(t), "--listen", address)
	if code != exitUnavailable || !strings.Contains(stderr, "address already in use") {
		t.Errorf("got exit code %d and %q, want %d and that it is in use", code, stderr, exitUnavailable)
	}
}

// wantLogged waits for a text in the log.
func (p *process) wantLogged(text string) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ctx := bounded(p.t); !strings.Contains(p.log.String(), text); {
		select {
		case <-tick.C:
		case <-p.exited:
			p.t.Fatalf("exited before it logged %q:\n%s", text, p.log)
		case <-ctx.Done():
			p.t.Fatalf("did not log %q:\n%s", text, p.log)
		}
	}
}
