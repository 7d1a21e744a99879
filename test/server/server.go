package server

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Config says what a server is.
type Config struct {
	// Name is what errors call it.
	Name string
	// Command makes the command of one life.
	Command func() (*exec.Cmd, error)
	// Ready returns when that serves. Its context has ended at the latest when the process
	// has, or when nobody waits any more.
	Ready func(ctx context.Context, printed *Output) error
	// ReadyIn bounds how long that may take.
	ReadyIn time.Duration
}

// Server is a server, through all of its lives. Its methods may be called at any time.
type Server struct {
	tb     testing.TB
	config Config

	mu   sync.Mutex
	life *life // nil while it is down
}

// life is one process of a server.
type life struct {
	cmd    *exec.Cmd
	output *Output
	exited chan struct{}
}

var (
	// ErrExited: the process ended before it served.
	ErrExited = errors.New("the server ended before it served")
	// ErrInUse: one of its addresses was in use.
	ErrInUse = errors.New("an address of the server is in use")
)

// New returns a server that is down. It ends with the test.
func New(tb testing.TB, config Config) *Server {
	s := &Server{tb: tb, config: config}
	tb.Cleanup(s.End)
	return s
}

// Start starts the server, and returns when it serves. On an error it is down.
func (s *Server) Start() error {
	if err := s.Begin(); err != nil {
		return err
	}
	return s.AwaitReady()
}

// Begin starts the server. It serves once AwaitReady says so.
func (s *Server) Begin() error {
	cmd, err := s.config.Command()
	if err != nil {
		return err
	}
	l := &life{cmd: cmd, output: newOutput(), exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = l.output, l.output
	// A test that is killed leaves no server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.config.Name, err)
	}
	// Ends with the process; awaited by Server.await.
	go func() { defer close(l.exited); _ = cmd.Wait() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life = l
	return nil
}

// AwaitReady returns when the server serves. On an error it is down.
func (s *Server) AwaitReady() error {
	l, err := s.up()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.config.ReadyIn)
	defer cancel()
	ready := make(chan error, 1)
	go func() { ready <- s.config.Ready(ctx, l.output) }() // ends with ctx
	select {
	case err = <-ready:
		if err == nil {
			return nil
		}
	case <-l.exited:
		err = ErrExited
	case <-l.output.inUse:
	}
	s.End()
	if isClosed(l.output.inUse) {
		err = ErrInUse
	}
	return fmt.Errorf("%s: %w:\n%s", s.config.Name, err, l.output.Text())
}

// StartAll starts servers of which none serves before others are there, and returns when
// all do. On an error all are down.
func StartAll(servers []*Server) error {
	err := each(servers, (*Server).Begin)
	if err == nil {
		err = each(servers, (*Server).AwaitReady)
	}
	if err != nil {
		for _, s := range servers {
			s.End()
		}
	}
	return err
}

func each(servers []*Server, do func(*Server) error) error {
	for _, s := range servers {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// Restart starts a server again that is down, and returns when it serves.
func (s *Server) Restart() {
	s.tb.Helper()
	if err := s.Start(); err != nil {
		s.tb.Fatal(err)
	}
}

// Kill ends the server by SIGKILL. What it kept on disk stays.
func (s *Server) Kill() {
	s.tb.Helper()
	s.signal(syscall.SIGKILL)
	s.await()
}

// Stop ends the server by SIGTERM, as a service manager does.
func (s *Server) Stop() {
	s.tb.Helper()
	s.signal(syscall.SIGTERM)
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

// PID is the process of a server that is up.
func (s *Server) PID() int {
	s.tb.Helper()
	return s.must().cmd.Process.Pid
}

// End kills the server if it is up, paused or not, and shows what it said if the test has
// failed.
func (s *Server) End() {
	l, err := s.up()
	if err != nil {
		return
	}
	_ = l.cmd.Process.Kill() // it may have ended by itself
	s.await()
	if text := l.output.Text(); s.tb.Failed() && text != "" {
		s.tb.Logf("%s said:\n%s", s.config.Name, text)
	}
}

func (s *Server) signal(sig syscall.Signal) {
	s.tb.Helper()
	if err := s.must().cmd.Process.Signal(sig); err != nil {
		s.tb.Fatalf("signal %v to %s: %v", sig, s.config.Name, err)
	}
}

// await waits until the process has ended.
func (s *Server) await() {
	s.mu.Lock()
	l := s.life
	s.life = nil
	s.mu.Unlock()
	if l != nil {
		<-l.exited
	}
}

func (s *Server) up() (*life, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil {
		return nil, fmt.Errorf("%s is down", s.config.Name)
	}
	return s.life, nil
}

func (s *Server) must() *life {
	s.tb.Helper()
	l, err := s.up()
	if err != nil {
		s.tb.Fatal(err)
	}
	return l
}
