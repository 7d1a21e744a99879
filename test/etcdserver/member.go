package etcdserver

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
)

// readyIn is how long a member may take to serve.
const readyIn = 30 * time.Second

// Member is one server of a cluster.
type Member struct {
	*server.Server

	args []string
	dir  string
	name string
	// client and peer are its addresses.
	client, peer string
	ready        *net.UnixConn // what the server says READY=1 to
}

// Endpoint is where clients reach the member.
func (m *Member) Endpoint() string { return m.client }

// newMember returns a member that is down; its args are still to come.
func newMember(tb testing.TB, name, client, peer string) *Member {
	tb.Helper()
	m := &Member{dir: shortDir(tb), name: name, client: client, peer: peer}
	m.Server = server.New(tb, server.Config{
		Name: "etcd " + name, Command: m.command, Ready: m.awaitWord, ReadyIn: readyIn,
	})
	return m
}

// command has the member tell when it is ready: by a datagram, as it tells a service
// manager.
func (m *Member) command() (*exec.Cmd, error) {
	socket := filepath.Join(m.dir, "notify")
	_ = os.Remove(socket) // of the life before
	var err error
	if m.ready, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"}); err != nil {
		return nil, err
	}
	cmd := exec.Command(m.args[0], m.args[1:]...)
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket)
	return cmd, nil
}

func (m *Member) awaitWord(ctx context.Context, _ *server.Output) error {
	ready := m.ready
	defer ready.Close()
	defer context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Now()) })()
	_, err := ready.Read(make([]byte, 64))
	return err
}
