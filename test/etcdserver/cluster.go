package etcdserver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/test/server"
)

// Cluster is a running etcd of one or more members.
type Cluster struct {
	Members []*Member
}

// Start starts a cluster of n members, with arguments for each of them added, and returns
// when it serves. It ends with the test.
func Start(tb testing.TB, n int, args ...string) *Cluster {
	tb.Helper()
	program := Server(tb)
	var c *Cluster
	server.WithAddresses(tb, 2*n, func(addresses []string) error {
		c = newCluster(tb, program, addresses, args)
		return c.start()
	})
	return c
}

// newCluster makes the members, two addresses each.
func newCluster(tb testing.TB, program string, addresses, args []string) *Cluster {
	tb.Helper()
	c := &Cluster{}
	var initial []string
	for pair := range slices.Chunk(addresses, 2) {
		m := newMember(tb, fmt.Sprintf("m%d", len(c.Members)), pair[0], pair[1])
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
	}
	return c
}

// start starts all members: none serves before a majority is there. On an error all are down.
func (c *Cluster) start() error {
	var all []*server.Server
	for _, m := range c.Members {
		all = append(all, m.Server)
	}
	return server.StartAll(all)
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
