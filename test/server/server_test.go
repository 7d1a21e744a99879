package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
)

// asServer makes this program a server on an address instead of a test.
const asServer = "HOLDGATE_TEST_SERVER"

func TestMain(m *testing.M) {
	if address := os.Getenv(asServer); address != "" {
		if err := serve(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve answers each connection with a word.
func serve(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Println("serving")
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		fmt.Fprint(c, "hello")
		c.Close()
	}
}

// patience is far more than anything here takes.
const patience = 30 * time.Second

func newServer(t *testing.T, address, says string) *server.Server {
	t.Helper()
	return server.New(t, server.Config{
		Name: "a server",
		Command: func() (*exec.Cmd, error) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asServer+"="+address)
			return cmd, nil
		},
		Ready:   func(ctx context.Context, printed *server.Output) error { return printed.Await(ctx, says) },
		ReadyIn: patience,
	})
}

// ask returns what a server says, and how connecting to it or reading failed.
func ask(address string, within time.Duration) (string, error) {
	c, err := net.DialTimeout("tcp", address, within)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(within))
	text, err := io.ReadAll(c)
	return string(text), err
}

// awaitSilence waits until a server takes connections and says nothing: it may answer once
// more before it is stopped.
func awaitSilence(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		got, err := ask(address, 50*time.Millisecond)
		if errors.Is(err, os.ErrDeadlineExceeded) && got == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a paused server: got %q, %v", got, err)
		}
	}
}

// A server is killed and comes back at the same address, and is silent while it is paused.
func TestLives(t *testing.T) {
	t.Parallel()
	address := server.Addresses(t, 1)[0]
	s := newServer(t, address, "serving")
	for range 3 {
		s.Restart()
		if got, err := ask(address, patience); got != "hello" {
			t.Fatalf("got %q, %v", got, err)
		}
		before := s.PID()
		s.Pause()
		awaitSilence(t, address)
		s.Resume()
		if got, err := ask(address, patience); got != "hello" || s.PID() != before {
			t.Fatalf("after a pause: got %q, %v", got, err)
		}
		s.Kill()
		if got, err := ask(address, patience); err == nil {
			t.Errorf("a dead server: got %q", got)
		}
	}
}

// Whoever starts a server is told why it does not serve.
func TestDoesNotServe(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = newServer(t, l.Addr().String(), "serving").Start()
	if !errors.Is(err, server.ErrInUse) || !strings.Contains(err.Error(), "bind") {
		t.Errorf("an address in use: got %v", err)
	}
	err = newServer(t, "no address", "serving").Start()
	if !errors.Is(err, server.ErrExited) || !strings.Contains(err.Error(), "missing port") {
		t.Errorf("no address: got %v", err)
	}
}

// No address is given twice while it is reserved, and it is started anew on others when one
// was taken all the same.
func TestAddresses(t *testing.T) {
	t.Parallel()
	var all []string
	for range 5 {
		all = append(all, server.Addresses(t, 20)...)
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 100 {
		t.Errorf("100 reservations have %d addresses", n)
	}
	var seen []string
	server.WithAddresses(t, 2, func(addresses []string) error {
		seen = append(seen, addresses...)
		if len(seen) < 6 {
			return fmt.Errorf("no luck: %w", server.ErrInUse)
		}
		return nil
	})
	if len(seen) != 6 {
		t.Errorf("got %q, want three pairs", seen)
	}
}
