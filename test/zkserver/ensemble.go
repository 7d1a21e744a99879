package zkserver

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
)

// Tick is the servers' tickTime, a quarter of the default, so that sessions expire sooner.
const Tick = 500 * time.Millisecond

// Ensemble is a running ZooKeeper of one or more servers.
type Ensemble struct {
	Servers []*Server
}

// Config is what an ensemble may have besides.
type Config struct {
	// Lines are added to each server's configuration.
	Lines []string
	// Options are given to java.
	Options []string
	// Peer says where server number i reaches server number j, which listens at an address.
	// Nil: there. Both its ports for peers are asked about.
	Peer func(i, j int, address string) string
}

// Start starts n servers, and returns when all serve. They end with the test.
func Start(tb testing.TB, n int, config Config) *Ensemble {
	tb.Helper()
	var e *Ensemble
	server.WithAddresses(tb, 3*n, func(addresses []string) error {
		e = newEnsemble(tb, n, addresses, config)
		return e.start()
	})
	return e
}

// newEnsemble makes the servers, three addresses each.
func newEnsemble(tb testing.TB, n int, addresses []string, config Config) *Ensemble {
	tb.Helper()
	e := &Ensemble{}
	for i := range n {
		dir := tb.TempDir()
		if err := writeConfig(dir, i, n, addresses, config); err != nil {
			tb.Fatal(err)
		}
		args := append(command(tb, dir, config.Options...), filepath.Join(dir, "zoo.cfg"))
		e.Servers = append(e.Servers, newServer(tb, fmt.Sprint(i+1), dir, addresses[3*i], args))
	}
	return e
}

// start starts all servers: none serves before a majority is there. On an error all are down.
func (e *Ensemble) start() error {
	var all []*server.Server
	for _, s := range e.Servers {
		all = append(all, s.Server)
	}
	return server.StartAll(all)
}

// writeConfig writes what server number i reads.
func writeConfig(dir string, i, n int, ports []string, config Config) error {
	port := func(address string) string { _, p, _ := net.SplitHostPort(address); return p }
	lines := []string{
		fmt.Sprintf("tickTime=%d", Tick.Milliseconds()),
		"maxSessionTimeout=120000",
		"dataDir=" + filepath.Join(dir, "data"),
		"clientPort=" + port(ports[3*i]), "clientPortAddress=127.0.0.1",
		"admin.enableServer=false", "maxClientCnxns=0", "4lw.commands.whitelist=ruok,srvr,mntr",
	}
	if n > 1 {
		lines = append(lines, "initLimit=20", "syncLimit=10")
		for j := range n {
			quorum, election := ports[3*j+1], ports[3*j+2]
			if config.Peer != nil && i != j {
				quorum, election = config.Peer(i, j, quorum), config.Peer(i, j, election)
			}
			lines = append(lines, fmt.Sprintf("server.%d=127.0.0.1:%s:%s", j+1, port(quorum), port(election)))
		}
	}
	lines = append(lines, config.Lines...)
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"zoo.cfg":   strings.Join(lines, "\n") + "\n",
		"data/myid": fmt.Sprintln(i + 1),
		"log4j.properties": "log4j.rootLogger=ERROR, out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\n" +
			"log4j.appender.out.layout=org.apache.log4j.PatternLayout\nlog4j.appender.out.layout.ConversionPattern=%d %p %c %m%n\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Addresses are those of all servers.
func (e *Ensemble) Addresses() []string {
	addresses := make([]string, len(e.Servers))
	for i, s := range e.Servers {
		addresses[i] = s.Address()
	}
	return addresses
}

// Leader is the number of the server that leads.
func (e *Ensemble) Leader(tb testing.TB) int {
	tb.Helper()
	for i, s := range e.Servers {
		if s.Mode() == "leader" {
			return i
		}
	}
	tb.Fatal("no server leads")
	return 0
}
