package sqlserver

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdgate/holdgate/test/server"
)

// Postgres starts a PostgreSQL that ends with the test, and returns its URL.
func Postgres(tb testing.TB) string {
	tb.Helper()
	initdb := program(tb, "initdb", "postgresql", "/usr/lib/postgresql/*/bin")
	postgres := filepath.Join(filepath.Dir(initdb), "postgres")
	dir := shortDir(tb)
	data := filepath.Join(dir, "data")
	own(tb, dir)
	made := unprivileged(tb.Context(), initdb, "-D", data, "-U", "test", "--auth=trust", "--no-sync", "--locale=C", "-E", "UTF8")
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		tb.Fatalf("initdb: %v\n%s", err, out)
	}
	address := start(tb, "postgres", "database system is ready to accept connections", func(host, port string) *exec.Cmd {
		// Its life is the server's.
		cmd := unprivileged(context.Background(), postgres, "-D", data, "-h", host, "-p", port, "-k", "",
			"-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "logging_collector=off", "-c", "log_destination=stderr")
		cmd.Dir = dir
		return cmd
	})
	return "postgres://test@" + address + "/postgres?sslmode=disable"
}

// debianUser is whom the package runs its own server as.
const debianUser = "postgres"

// unprivileged is a command of a user who is not root: PostgreSQL refuses to be.
func unprivileged(ctx context.Context, name string, args ...string) *exec.Cmd {
	if os.Getuid() != 0 {
		return exec.CommandContext(ctx, name, args...)
	}
	// Who changes users is not killed with its parent any more, unless that is said again.
	as := []string{"--reuid=" + debianUser, "--regid=" + debianUser, "--clear-groups", "--pdeathsig=KILL", "--", name}
	return exec.CommandContext(ctx, "setpriv", append(as, args...)...)
}

// own gives the directory to that user.
func own(tb testing.TB, dir string) {
	tb.Helper()
	if os.Getuid() != 0 {
		return
	}
	if out, err := exec.CommandContext(tb.Context(), "chown", debianUser, dir).CombinedOutput(); err != nil {
		tb.Fatalf("chown: %v\n%s", err, out)
	}
}

// start starts a server on a free port, and returns its address. ready is what it prints
// when it serves.
func start(tb testing.TB, name, ready string, command func(host, port string) *exec.Cmd) string {
	tb.Helper()
	var address string
	server.WithAddresses(tb, 1, func(addresses []string) error {
		address = addresses[0]
		return server.New(tb, server.Config{
			Name: name,
			Command: func() (*exec.Cmd, error) {
				host, port, err := net.SplitHostPort(address)
				return command(host, port), err
			},
			Ready:   func(ctx context.Context, printed *server.Output) error { return printed.Await(ctx, ready) },
			ReadyIn: readyIn,
		}).Start()
	})
	return address
}
