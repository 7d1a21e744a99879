package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// TestMain makes this test binary the command itself, when it is called by its name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"holdgated": main})
}

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = 2 * time.Minute

func bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// process is a holdgated that was started.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	told   chan string // what it told the service manager
	log    *output
	exited chan struct{}
}

// launch starts holdgated with these flags, and environment, on top of an empty one. It ends
// with the test.
func launch(t testing.TB, env, args []string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, told: make(chan string, 10), log: &output{}, exited: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: exe, Args: append([]string{"holdgated"}, args...), Stdout: p.log, Stderr: p.log}
	p.cmd.Env = append([]string{"NOTIFY_SOCKET=" + p.manage()}, env...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the process, which the cleanup ends
		defer close(p.exited)
		_ = p.cmd.Wait() // the code is in ProcessState
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("holdgated %s logged:\n%s", strings.Join(args, " "), p.log)
		}
	})
	return p
}

// manage listens as a service manager does, and returns where.
func (p *process) manage() string {
	p.t.Helper()
	path := filepath.Join(shortDir(p.t), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		p.t.Fatal(err)
	}
	var listening sync.WaitGroup
	listening.Go(func() { // ended by Close, awaited by the cleanup
		message := make([]byte, 1024)
		for {
			n, err := conn.Read(message)
			if err != nil {
				return
			}
			p.told <- string(message[:n])
		}
	})
	p.t.Cleanup(func() { conn.Close(); listening.Wait() })
	return path
}

// shortDir is a directory whose name leaves room for that of a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hgd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serveProcess starts holdgated and waits until it says that it is ready.
func serveProcess(t testing.TB, args ...string) *process {
	t.Helper()
	p := launch(t, nil, args)
	p.wantTold("READY=1")
	return p
}

// wantTold waits for a message to the service manager.
func (p *process) wantTold(want string) {
	p.t.Helper()
	got := ""
	select {
	case got = <-p.told:
	case <-p.exited:
		select { // what it told before
		case got = <-p.told:
		case <-time.After(time.Second):
			p.t.Fatalf("holdgated exited with %d before %s:\n%s", p.cmd.ProcessState.ExitCode(), want, p.log)
		}
	case <-bounded(p.t).Done():
		p.t.Fatalf("no %s:\n%s", want, p.log)
	}
	if got != want {
		p.t.Fatalf("the service manager was told %q, want %q", got, want)
	}
}

// wantExit waits for the end.
func (p *process) wantExit(code int) {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-bounded(p.t).Done():
		p.t.Fatalf("holdgated goes on, want exit code %d", code)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d:\n%s", got, code, p.log)
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// kill is kill -9, the loss of power as far as a process can have it.
func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	<-p.exited
}

// run runs a command of holdgated to its end.
func run(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(bounded(t), exe, args...)
	cmd.Args[0] = "holdgated"
	cmd.Env = env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func dataDirOf(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data")
}

func dial(t testing.TB, c clientv3.Config) *clientv3.Client {
	t.Helper()
	c.Logger = zap.NewNop()
	client, err := clientv3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// lockAndUnlock takes etcd's own lock.
func lockAndUnlock(t testing.TB, c *clientv3.Client) {
	t.Helper()
	s, err := concurrency.NewSession(c, concurrency.WithContext(bounded(t)))
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

// session is a lease with a key on it, as a hold has.
func session(t testing.TB, c *clientv3.Client, key string) clientv3.LeaseID {
	t.Helper()
	l, err := c.Grant(bounded(t), 60)
	if err != nil {
		t.Fatalf("Grant: %v", err)
	}
	if _, err := c.Put(bounded(t), key, "", clientv3.WithLease(l.ID)); err != nil {
		t.Fatalf("Put: %v", err)
	}
	return l.ID
}

// wantSession wants a session alive, with its key.
func wantSession(t testing.TB, c *clientv3.Client, lease clientv3.LeaseID, key string) {
	t.Helper()
	if _, err := c.KeepAliveOnce(bounded(t), lease); err != nil {
		t.Errorf("renewing the session: %v", err)
	}
	r, err := c.Get(bounded(t), key)
	if err != nil || r.Count != 1 {
		t.Errorf("the key of the session: %d of them, error %v, want one", r.Count, err)
	}
}
