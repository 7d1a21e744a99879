package redisserver

import (
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
)

// Cluster is several primaries that share the slots.
type Cluster struct {
	tb      testing.TB
	servers []*Server
}

// slots is how many there are in every cluster.
const slots = 16384

// StartCluster starts a cluster of n primaries without replicas.
func StartCluster(tb testing.TB, n int) *Cluster {
	tb.Helper()
	return StartGuardedCluster(tb, n, Guard{})
}

// StartGuardedCluster does that with a guard.
func StartGuardedCluster(tb testing.TB, n int, g Guard) *Cluster {
	tb.Helper()
	c := &Cluster{tb: tb}
	var buses []string // the ports by which servers talk to each other
	for range n {
		_, bus, _ := net.SplitHostPort(server.Addresses(tb, 1)[0])
		buses = append(buses, bus)
		o := g.options(
			"--cluster-enabled", "yes", "--cluster-port", bus,
			"--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no",
		)
		if o.TLS {
			o.Config = append(o.Config, "--tls-cluster", "yes")
		}
		c.servers = append(c.servers, Start(tb, o))
	}
	for i, s := range c.servers {
		first, last := i*slots/n, (i+1)*slots/n-1
		s.Do("CLUSTER", "SET-CONFIG-EPOCH", fmt.Sprint(i+1))
		s.Do("CLUSTER", "ADDSLOTSRANGE", fmt.Sprint(first), fmt.Sprint(last))
		if i > 0 {
			host, port, _ := net.SplitHostPort(c.servers[0].Address())
			s.Do("CLUSTER", "MEET", host, port, buses[0])
		}
	}
	c.await("every server to know all slots", func(s *Server) bool {
		info := s.Do("CLUSTER", "INFO")
		return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_slots_ok:%d", slots)) &&
			strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", n))
	})
	return c
}

// Servers are its servers.
func (c *Cluster) Servers() []*Server { return c.servers }

// Addresses are where clients may begin.
func (c *Cluster) Addresses() []string {
	addresses := make([]string, len(c.servers))
	for i, s := range c.servers {
		addresses[i] = s.Address()
	}
	return addresses
}

// Owner is the server that has the slot of a key, by its own word.
func (c *Cluster) Owner(key string) *Server {
	c.tb.Helper()
	slot := strings.TrimSpace(c.servers[0].Do("CLUSTER", "KEYSLOT", key))
	for _, s := range c.servers {
		// A server that does not have the slot refuses the command.
		if !strings.HasPrefix(s.Do("EXISTS", key), "MOVED "+slot) {
			return s
		}
	}
	c.tb.Fatalf("nobody has the slot of %q", key)
	return nil
}

// Move moves the slot of a key to another server, key by key, as redis-cli --cluster reshard
// does. Between any two keys it calls during.
func (c *Cluster) Move(key string, to *Server, during func()) {
	c.tb.Helper()
	from := c.Owner(key)
	slot := strings.TrimSpace(from.Do("CLUSTER", "KEYSLOT", key))
	fromID, toID := strings.TrimSpace(from.Do("CLUSTER", "MYID")), strings.TrimSpace(to.Do("CLUSTER", "MYID"))
	to.Do("CLUSTER", "SETSLOT", slot, "IMPORTING", fromID)
	from.Do("CLUSTER", "SETSLOT", slot, "MIGRATING", toID)
	host, port, _ := net.SplitHostPort(to.Address())
	for {
		during()
		next := strings.TrimSpace(from.Do("CLUSTER", "GETKEYSINSLOT", slot, "1"))
		if next == "" {
			break
		}
		if said := from.Do("MIGRATE", host, port, next, "0", "5000"); !strings.HasPrefix(said, "OK") && !strings.HasPrefix(said, "NOKEY") {
			c.tb.Fatalf("migrate %q: %s", next, said)
		}
	}
	for _, s := range []*Server{to, from} {
		s.Do("CLUSTER", "SETSLOT", slot, "NODE", toID)
	}
	for _, s := range c.servers {
		if s != to && s != from {
			s.Do("CLUSTER", "SETSLOT", slot, "NODE", toID)
		}
	}
}

// await asks all servers until the answer is yes: they tell each other, and nobody else.
func (c *Cluster) await(what string, holds func(*Server) bool) {
	c.tb.Helper()
	for deadline := time.Now().Add(readyIn); ; time.Sleep(20 * time.Millisecond) {
		all := true
		for _, s := range c.servers {
			all = all && holds(s)
		}
		switch {
		case all:
			return
		case time.Now().After(deadline):
			c.tb.Fatalf("waited in vain for %s", what)
		}
	}
}

// Do runs one command by redis-cli, and returns what it prints, also an error of the
// server's.
func (s *Server) Do(args ...string) string {
	s.tb.Helper()
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		s.tb.Fatal(err)
	}
	out, err := exec.Command("redis-cli", slices.Concat([]string{"-h", host, "-p", port}, s.options.Client, args)...).CombinedOutput()
	if err != nil {
		s.tb.Fatalf("redis-cli %v: %v\n%s", args, err, out)
	}
	return string(out)
}
