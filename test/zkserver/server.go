package zkserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// readyIn is how long a server may take to serve.
const readyIn = 60 * time.Second

// Server is one server.
type Server struct {
	tb      testing.TB
	args    []string
	name    string
	address string

	mu      sync.Mutex
	process *process // nil while it is down
}

// process is one life of a server.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	exited chan struct{}
}

// Address is where clients reach it.
func (s *Server) Address() string { return s.address }

// Kill ends the server by SIGKILL. Its data stays.
func (s *Server) Kill() {
	s.tb.Helper()
	s.signal(syscall.SIGKILL)
	s.await()
}

// Pause stops the server by SIGSTOP, until Resume: it keeps its connections, and says
// nothing.
func (s *Server) Pause() {
	s.tb.Helper()
	s.signal(syscall.SIGSTOP)
}

// Resume lets a paused server go on.
func (s *Server) Resume() {
	s.tb.Helper()
	s.signal(syscall.SIGCONT)
}

// Restart starts a server again that was killed, on its data and addresses.
func (s *Server) Restart() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatal(err)
	}
	if err := s.awaitReady(); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *Server) signal(sig syscall.Signal) {
	s.tb.Helper()
	p := s.current()
	if p == nil {
		s.tb.Fatalf("zookeeper %s is down", s.name)
	}
	if err := p.cmd.Process.Signal(sig); err != nil {
		s.tb.Fatalf("signal %v to zookeeper %s: %v", sig, s.name, err)
	}
}

func (s *Server) current() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// await waits until the process has ended.
func (s *Server) await() {
	p := s.current()
	if p == nil {
		return
	}
	<-p.exited
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = nil
}

// end kills the server if it is up.
func (s *Server) end() {
	if p := s.current(); p != nil {
		_ = p.cmd.Process.Kill() // a stopped process, too
		s.await()
		if s.tb.Failed() && p.output.Len() > 0 {
			s.tb.Logf("zookeeper %s said:\n%s", s.name, p.output.Bytes())
		}
	}
}

// start starts the process. It serves once awaitReady says so.
func (s *Server) start() error {
	p := &process{cmd: exec.Command(s.args[0], s.args[1:]...), exited: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	// A test that is killed leaves no server.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start zookeeper %s: %w", s.name, err)
	}
	// Ends with the process; awaited by Server.await.
	go func() { defer close(p.exited); _ = p.cmd.Wait() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = p
	return nil
}

var (
	errExited = errors.New("the server ended before it served")
	errSlow   = errors.New("the server does not serve")
)

// awaitReady asks the server until it serves: it tells by nothing else.
func (s *Server) awaitReady() error {
	p := s.current()
	for deadline := time.Now().Add(readyIn); time.Now().Before(deadline); {
		if s.Mode() != "" {
			return nil
		}
		select {
		case <-p.exited:
			s.await()
			return fmt.Errorf("zookeeper %s: %w:\n%s", s.name, errExited, p.output.Bytes())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("zookeeper %s: %w", s.name, errSlow)
}

// Mode is "standalone", "leader" or "follower", or empty while the server does not serve.
func (s *Server) Mode() string { return s.tells("Mode") }

// Received is how many packets the server has received.
func (s *Server) Received() int {
	n, err := strconv.Atoi(s.tells("Received"))
	if err != nil {
		s.tb.Fatalf("zookeeper %s does not count: %v", s.name, err)
	}
	return n
}

// tells returns one of the lines that the server describes itself by.
func (s *Server) tells(name string) string {
	for line := range strings.Lines(s.ask("srvr")) {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// ask sends one of the commands of four letters.
func (s *Server) ask(word string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return ""
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, word); err != nil {
		return ""
	}
	answer, _ := io.ReadAll(c)
	return string(answer)
}
