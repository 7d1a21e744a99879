package etcdserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// readyIn is how long a member may take to serve.
const readyIn = 30 * time.Second

// Member is one server of a cluster.
type Member struct {
	tb   testing.TB
	args []string
	dir  string
	name string
	// client and peer are its addresses.
	client, peer string

	mu      sync.Mutex
	process *process // nil while it is down
}

// process is one life of a member.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	exited chan struct{}
	ready  *net.UnixConn // what the server says READY=1 to
}

// Endpoint is where clients reach the member.
func (m *Member) Endpoint() string { return m.client }

// PID is the process of a member that is up.
func (m *Member) PID() int {
	m.tb.Helper()
	return m.up().cmd.Process.Pid
}

// Kill ends the member by SIGKILL. Its data stays.
func (m *Member) Kill() {
	m.tb.Helper()
	m.signal(syscall.SIGKILL)
	m.await()
}

// Stop ends the member by SIGTERM, as a service manager does.
func (m *Member) Stop() {
	m.tb.Helper()
	m.signal(syscall.SIGTERM)
	m.await()
}

// Pause stops the member by SIGSTOP, until Resume: it keeps its connections, and says
// nothing.
func (m *Member) Pause() {
	m.tb.Helper()
	m.signal(syscall.SIGSTOP)
}

// Resume lets a paused member go on.
func (m *Member) Resume() {
	m.tb.Helper()
	m.signal(syscall.SIGCONT)
}

// Restart starts a member again that was killed or stopped, on its data and addresses.
func (m *Member) Restart() {
	m.tb.Helper()
	if err := m.start(); err != nil {
		m.tb.Fatal(err)
	}
	if err := m.awaitReady(); err != nil {
		m.tb.Fatal(err)
	}
}

func (m *Member) signal(s syscall.Signal) {
	m.tb.Helper()
	if err := m.up().cmd.Process.Signal(s); err != nil {
		m.tb.Fatalf("signal %v to etcd %s: %v", s, m.name, err)
	}
}

func (m *Member) up() *process {
	m.tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		m.tb.Fatalf("etcd %s is down", m.name)
	}
	return m.process
}

// await waits until the process has ended.
func (m *Member) await() {
	m.mu.Lock()
	p := m.process
	m.process = nil
	m.mu.Unlock()
	if p != nil {
		<-p.exited
		p.ready.Close()
	}
}

// end kills the member if it is up.
func (m *Member) end() {
	m.mu.Lock()
	p := m.process
	m.mu.Unlock()
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // a stopped process, too
	m.await()
}

// start starts the process. It serves once awaitReady says so.
func (m *Member) start() error {
	// etcd tells a service manager by a datagram when it is ready.
	socket := filepath.Join(m.dir, "notify")
	_ = os.Remove(socket)
	ready, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	p := &process{exited: make(chan struct{}), ready: ready}
	p.cmd = exec.Command(m.args[0], m.args[1:]...)
	p.cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	// A test that is killed leaves no server.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		ready.Close()
		return fmt.Errorf("start etcd %s: %w", m.name, err)
	}
	// Ends with the process; awaited by Member.await.
	go func() { defer close(p.exited); _ = p.cmd.Wait() }()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process = p
	return nil
}

var errExited = errors.New("the server ended before it served")

// awaitReady waits until the member serves.
func (m *Member) awaitReady() error {
	m.mu.Lock()
	p := m.process
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), readyIn)
	defer cancel()
	said := make(chan error, 1)
	// Ends with the datagram, the deadline, or the end of the socket.
	go func() {
		deadline, _ := ctx.Deadline()
		_ = p.ready.SetReadDeadline(deadline)
		_, err := p.ready.Read(make([]byte, 64))
		said <- err
	}()
	select {
	case err := <-said:
		if err == nil {
			return nil
		}
		return fmt.Errorf("etcd %s is not ready: %w", m.name, err)
	case <-p.exited:
		m.await()
		return fmt.Errorf("etcd %s: %w:\n%s", m.name, errExited, p.output.Bytes())
	}
}
