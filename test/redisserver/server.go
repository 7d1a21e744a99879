package redisserver

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
)

// readyIn is how long a server may take to serve.
const readyIn = 30 * time.Second

// Server is one redis-server.
type Server struct {
	*server.Server

	tb      testing.TB
	program string
	options Options
	address string
	dir     string
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
	// Client is what redis-cli needs to be let in.
	Client []string
}

// Start starts a server that ends with the test. It keeps its data in memory unless the
// options say otherwise.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{tb: tb, program: Program(tb), options: o, dir: tb.TempDir()}
	server.WithAddresses(tb, 1, func(addresses []string) error {
		s.address = addresses[0]
		s.Server = server.New(tb, server.Config{
			Name: "redis-server", Command: s.command, Ready: awaitWord, ReadyIn: readyIn,
		})
		return s.Server.Start()
	})
	return s
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

// Path is a path in the server's own directory.
func (s *Server) Path(name string) string { return filepath.Join(s.dir, name) }

func (s *Server) command() (*exec.Cmd, error) {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return nil, err
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
	cmd := exec.Command(s.program, append(args, s.options.Config...)...)
	cmd.Env = append(os.Environ(), s.options.Environment...)
	return cmd, nil
}

// awaitWord waits until the server says that it serves.
func awaitWord(ctx context.Context, printed *server.Output) error {
	return printed.Await(ctx, "Ready to accept connections", "Sentinel ID is")
}
