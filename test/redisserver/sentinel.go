package redisserver

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Sentinels are three that watch over a primary with a replica.
type Sentinels struct {
	// Name is what the sentinels call the primary.
	Name             string
	Primary, Replica *Server

	tb        testing.TB
	sentinels []*Server
}

// StartSentinels starts a primary, a replica that follows it, and three sentinels that
// replace a primary which is silent for a second.
func StartSentinels(tb testing.TB) *Sentinels {
	tb.Helper()
	return StartGuardedSentinels(tb, Guard{})
}

// StartGuardedSentinels does that with a guard.
func StartGuardedSentinels(tb testing.TB, g Guard) *Sentinels {
	tb.Helper()
	s := &Sentinels{tb: tb, Name: "locks", Primary: Start(tb, g.options())}
	host, port, err := net.SplitHostPort(s.Primary.Address())
	if err != nil {
		tb.Fatal(err)
	}
	s.Replica = Start(tb, g.options("--replicaof", host, port))
	s.await(s.Replica, "the replica follows", "master_link_status:up", "INFO", "replication")
	for range 3 {
		s.sentinels = append(s.sentinels, startSentinel(tb, g, s.Name, host, port))
	}
	for _, sentinel := range s.sentinels {
		s.await(sentinel, "a sentinel knows the replica and the others", "slaves=1,sentinels=3", "INFO", "sentinel")
	}
	return s
}

// startSentinel starts one: its configuration is a file that it writes to.
func startSentinel(tb testing.TB, g Guard, name, host, port string) *Server {
	tb.Helper()
	itself, lines := g.sentinel(name)
	config := filepath.Join(tb.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor %[1]s %[2]s %[3]s 2\nsentinel down-after-milliseconds %[1]s 1000\n"+
		"sentinel failover-timeout %[1]s 5000\n", name, host, port)
	if err := os.WriteFile(config, []byte(text+lines), 0o600); err != nil {
		tb.Fatal(err)
	}
	o := itself.options("--sentinel")
	o.File = config
	if g.SentinelPassword != "" {
		o.Client = append(o.Client, "-a", g.SentinelPassword, "--no-auth-warning")
	}
	return Start(tb, o)
}

// Addresses are where the sentinels are.
func (s *Sentinels) Addresses() []string {
	addresses := make([]string, len(s.sentinels))
	for i, sentinel := range s.sentinels {
		addresses[i] = sentinel.Address()
	}
	return addresses
}

// AwaitFailover waits until the replica has been made the primary.
func (s *Sentinels) AwaitFailover() {
	s.tb.Helper()
	s.await(s.Replica, "the replica is promoted", "role:master", "INFO", "replication")
}

// await asks a server until it says something: it tells by no event.
func (s *Sentinels) await(server *Server, what, word string, command ...string) {
	s.tb.Helper()
	for deadline := time.Now().Add(readyIn); ; time.Sleep(20 * time.Millisecond) {
		said := server.Do(command...)
		switch {
		case strings.Contains(said, word):
			return
		case time.Now().After(deadline):
			s.tb.Fatalf("waited in vain until %s:\n%s", what, said)
		}
	}
}
