package zkserver

import (
	"context"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
)

// readyIn is how long a server may take to serve: seconds, and far more where everything else
// runs at the same time.
const readyIn = 2 * time.Minute

// Server is one server.
type Server struct {
	*server.Server

	tb      testing.TB
	args    []string
	dir     string
	name    string
	address string
}

// newServer returns a server that is down.
func newServer(tb testing.TB, name, dir, address string, args []string) *Server {
	s := &Server{tb: tb, name: name, dir: dir, address: address, args: args}
	s.Server = server.New(tb, server.Config{
		Name:    "zookeeper " + name,
		Command: func() (*exec.Cmd, error) { return exec.Command(s.args[0], s.args[1:]...), nil },
		Ready:   s.awaitMode,
		ReadyIn: readyIn,
	})
	return s
}

// Address is where clients reach it.
func (s *Server) Address() string { return s.address }

// Logs is the directory with the server's transaction logs.
func (s *Server) Logs() string { return filepath.Join(s.dir, "data", "version-2") }

// awaitMode asks the server until it serves: it tells by nothing else.
func (s *Server) awaitMode(ctx context.Context, _ *server.Output) error {
	for s.Mode() == "" { //nolint:contextcheck // it has a limit of its own
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
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
