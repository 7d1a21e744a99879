package etcdserver

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// Cluster is a running etcd of one or more members.
type Cluster struct {
	Members []*Member

	tb testing.TB
}

// Start starts a cluster of n members, with arguments for each of them added, and returns
// when it serves. It ends with the test.
func Start(tb testing.TB, n int, args ...string) *Cluster {
	tb.Helper()
	program := Server(tb)
	// A port that was free may be taken by the time the server asks for it.
	const attempts = 3
	for attempt := 1; ; attempt++ {
		c, err := start(tb, program, n, args)
		if err == nil {
			return c
		}
		if attempt == attempts {
			tb.Fatal(err)
		}
		tb.Logf("again, with other ports: %v", err)
	}
}

func start(tb testing.TB, program string, n int, args []string) (*Cluster, error) {
	tb.Helper()
	ports, err := freePorts(2 * n)
	if err != nil {
		return nil, err
	}
	c := &Cluster{tb: tb}
	var initial []string
	for i := range n {
		m := &Member{
			tb: tb, dir: shortDir(tb), name: fmt.Sprintf("m%d", i),
			client: ports[2*i], peer: ports[2*i+1],
		}
		c.Members = append(c.Members, m)
		initial = append(initial, m.name+"=http://"+m.peer)
	}
	for _, m := range c.Members {
		m.args = append([]string{
			program,
			"--name", m.name,
			"--data-dir", filepath.Join(m.dir, "data"),
			"--listen-client-urls", "http://" + m.client,
			"--advertise-client-urls", "http://" + m.client,
			"--listen-peer-urls", "http://" + m.peer,
			"--initial-advertise-peer-urls", "http://" + m.peer,
			"--initial-cluster", strings.Join(initial, ","),
			"--log-level", "error",
		}, args...)
		tb.Cleanup(m.end)
		if err := m.start(); err != nil {
			return nil, err
		}
	}
	for _, m := range c.Members {
		if err := m.awaitReady(); err != nil {
			for _, m := range c.Members {
				m.end()
			}
			return nil, err
		}
	}
	return c, nil
}

// shortDir is a directory for one member. The name of a test would make the path of a
// socket in it too long.
func shortDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "etcd")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// freePorts are addresses on the loopback interface that nobody listens on.
func freePorts(n int) ([]string, error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	var addresses []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		held = append(held, l)
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// Endpoints are the addresses of all members.
func (c *Cluster) Endpoints() []string {
	endpoints := make([]string, len(c.Members))
	for i, m := range c.Members {
		endpoints[i] = m.Endpoint()
	}
	return endpoints
}

// Client returns a client of all members, with these options added to how it dials. It
// is closed with the test.
func (c *Cluster) Client(tb testing.TB, options ...grpc.DialOption) *clientv3.Client {
	tb.Helper()
	return Dial(tb, clientv3.Config{Endpoints: c.Endpoints(), DialOptions: options})
}

// Dial returns a client that is closed with the test.
func Dial(tb testing.TB, config clientv3.Config) *clientv3.Client {
	tb.Helper()
	if config.Logger == nil {
		config.Logger = zap.NewNop()
	}
	client, err := clientv3.New(config)
	if err != nil {
		tb.Fatalf("etcd client: %v", err)
	}
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// Leader is the member that leads.
func (c *Cluster) Leader(tb testing.TB) *Member {
	tb.Helper()
	client := c.Client(tb)
	for _, m := range c.Members {
		status, err := client.Status(tb.Context(), m.Endpoint())
		if err == nil && status.Leader == status.Header.MemberId {
			return m
		}
	}
	tb.Fatal("no member leads")
	return nil
}
