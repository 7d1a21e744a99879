package redisserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is one redis-server.
type Server struct {
	tb      testing.TB
	options Options
	address string
	dir     string

	mu      sync.Mutex
	process *process // nil while it is down
}

// Options say how a server runs.
type Options struct {
	// TLS has the server listen with TLS only; Config says with which certificates.
	TLS bool
	// File is a configuration that the server reads first, and may write to.
	File string
	// Config is what follows on the command line, as "--appendonly", "yes".
	Config []string
	// Environment is added to that of the server.
	Environment []string
}

// process is one life of a server.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// Start starts a server that ends with the test. It keeps its data in memory unless the
// options say otherwise.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{tb: tb, options: o, dir: tb.TempDir()}
	tb.Cleanup(s.end)
	var err error
	for range 5 { // somebody else may take the port before the server does
		if s.address, err = freeAddress(); err != nil {
			tb.Fatal(err)
		}
		if err = s.start(); !errors.Is(err, errExited) {
			break
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Program returns the path of redis-server, or ends the test without it.
func Program(tb testing.TB) string {
	tb.Helper()
	path, err := exec.LookPath("redis-server")
	switch {
	case err == nil:
	case os.Getenv("HOLDGATE_REQUIRE_STORES") == "1":
		tb.Fatalf("redis-server is missing (Debian: apt-get install redis-server): %v", err)
	default:
		tb.Skipf("redis-server is missing (Debian: apt-get install redis-server): %v", err)
	}
	return path
}

// Address is where clients reach the server.
func (s *Server) Address() string { return s.address }

// PID is the process of a server that is up.
func (s *Server) PID() int {
	s.tb.Helper()
	return s.up().cmd.Process.Pid
}

// Kill ends the server by SIGKILL. What it kept on disk stays.
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

// Restart starts a server again that was killed, at the same address.
func (s *Server) Restart() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *Server) signal(sig syscall.Signal) {
	s.tb.Helper()
	if err := s.up().cmd.Process.Signal(sig); err != nil {
		s.tb.Fatalf("signal %v to redis-server: %v", sig, err)
	}
}

func (s *Server) up() *process {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		s.tb.Fatal("redis-server is down")
	}
	return s.process
}

// await waits until the process has ended.
func (s *Server) await() {
	s.mu.Lock()
	p := s.process
	s.process = nil
	s.mu.Unlock()
	if p != nil {
		<-p.exited
	}
}

// end kills the server if it is up.
func (s *Server) end() {
	s.mu.Lock()
	p := s.process
	s.mu.Unlock()
	if p != nil {
		_ = p.cmd.Process.Kill() // a stopped process, too
		s.await()
	}
}

// readyIn is how long a server may take to serve.
const readyIn = 30 * time.Second

var errExited = errors.New("the server ended before it served")

// start starts the process, and returns when it serves.
func (s *Server) start() error {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return err
	}
	var args []string
	if s.options.File != "" {
		args = append(args, s.options.File)
	}
	args = append(args, "--bind", host, "--dir", s.dir, "--loglevel", "notice")
	if s.options.TLS {
		args = append(args, "--port", "0", "--tls-port", port)
	} else {
		args = append(args, "--port", port)
	}
	if !slices.Contains(s.options.Config, "--sentinel") {
		args = append(args, "--save", "", "--appendonly", "no")
	}
	args = append(args, s.options.Config...)
	p := &process{cmd: exec.Command(Program(s.tb), args...), exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), s.options.Environment...)
	// A test that is killed leaves no server.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	log, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start redis-server: %w", err)
	}
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()
	ready, output := make(chan struct{}), new(bytes.Buffer)
	// Ends with the process; awaited by Server.await.
	go func() {
		defer close(p.exited)
		follow(io.TeeReader(log, output), ready)
		_ = p.cmd.Wait()
	}()
	limit := time.NewTimer(readyIn)
	defer limit.Stop()
	select {
	case <-ready:
		return nil
	case <-p.exited:
		s.await()
		return fmt.Errorf("redis-server: %w:\n%s", errExited, output)
	case <-limit.C:
		return fmt.Errorf("redis-server is not ready after %v", readyIn)
	}
}

// follow reads the log to its end, and tells when the server says that it serves.
func follow(log io.Reader, ready chan<- struct{}) {
	told := false
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if !told && (strings.Contains(lines.Text(), "Ready to accept connections") || strings.Contains(lines.Text(), "Sentinel ID is")) {
			told = true
			close(ready)
		}
	}
}

// Path is a path in the server's own directory.
func (s *Server) Path(name string) string { return filepath.Join(s.dir, name) }
