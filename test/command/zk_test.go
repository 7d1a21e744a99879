package command_test

import (
	"bytes"
	"crypto/x509"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/server"
	"github.com/holdgate/holdgate/test/zkserver"
)

// tick tells the command of zkserver.Tick.
const tick = "tick=500ms"

// On each kind of ZooKeeper a command runs under its lock, is told of its store without what
// lets in, and the lock is there while it runs.
func TestZooKeeper(t *testing.T) {
	t.Parallel()
	plain := zkserver.Start(t, 1, zkserver.Config{}).Addresses()[0]
	ours := newAuthority(t)
	secure := startSecureZooKeeper(t, ours)
	ours.sign("client", &x509.Certificate{})
	files := "&ca=" + ours.file("ca.pem") + "&cert=" + ours.file("client.pem") + "&key=" + ours.file("client.key")
	// What alice makes there is hers.
	at(t, "zk://alice:secret@"+plain+"/digest/locks?"+tick).run(0, "run", "x", "--ttl", "60s", "--", "true")
	for name, tc := range map[string]struct {
		store string
		env   []string
		code  int
		says  string
	}{
		"one server":              {"zk://" + plain + "?" + tick, nil, 0, ""},
		"chroot":                  {"zk://" + plain + "/chroot/locks?" + tick, nil, 0, ""},
		"password":                {"zk://alice:secret@" + plain + "/digest/locks?" + tick, nil, 0, ""},
		"password, elsewhere":     {"zk://alice@" + plain + "/digest/locks?" + tick, []string{"HOLDGATE_STORE_PASSWORD=secret"}, 0, ""},
		"another password":        {"zk://alice:guess@" + plain + "/digest/locks?" + tick, nil, 69, "denied"},
		"nobody":                  {"zk://" + plain + "/digest/locks?" + tick, nil, 69, "denied"},
		"TLS":                     {"zks://" + secure + "?" + tick + files, nil, 0, ""},
		"TLS, another name":       {"zks://" + secure + "?server-name=other.example&" + tick + files, nil, 69, "other.example"},
		"TLS, authority unknown":  {"zks://" + secure + "?" + tick, nil, 69, "unknown authority"},
		"TLS with a password":     {"zks://alice:secret@" + secure + "/digest?" + tick + files, nil, 0, ""},
		"TLS without certificate": {"zks://" + secure + "?" + tick + "&ca=" + ours.file("ca.pem"), nil, 69, "unavailable"},
		"a server without TLS":    {"zks://" + plain + "?" + tick + files, nil, 69, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, tc.store, tc.env...)
			ttl := "60s" // on a busy machine, too
			if tc.code != 0 {
				ttl = "8s" // so long it tries
			}
			stdout, stderr := p.run(tc.code, "run", "x", "--ttl", ttl, "--wait", "60s", "--", "printenv", "HOLDGATE_STORE", "HOLDGATE_FENCING_TOKEN")
			if !strings.Contains(stderr, tc.says) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("it says %q, want one line with %q", stderr, tc.says)
			}
			if (tc.code == 0) != strings.HasPrefix(stdout, "zk") || strings.Contains(stdout, "secret") || strings.Contains(stdout, "client.") {
				t.Errorf("the command was told %q", stdout)
			}
			// Whoever may not is answered all the same.
			healthy := tc.code == 0 || tc.says == "denied"
			p.awaitStatus(tc.code, func(s status) bool { return s.Endpoints[0].Healthy == healthy })
		})
	}
}

// awaitStatus asks for the status until it is as it should be: on a busy machine a server may
// be too slow once.
func (p *place) awaitStatus(code int, good func(status) bool) status {
	p.t.Helper()
	for deadline := time.Now().Add(soon); ; {
		s := p.status(code)
		if good(s) {
			return s
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the status is %+v", s)
		}
	}
}

// startSecureZooKeeper starts a server that serves TLS only to those with a certificate, and
// returns where.
func startSecureZooKeeper(t *testing.T, a *authority) string {
	t.Helper()
	a.sign("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	var both []byte
	for _, part := range []string{"server.key", "server.pem"} {
		text, err := os.ReadFile(a.file(part))
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, text...)
	}
	if err := os.WriteFile(a.file("both.pem"), both, 0o600); err != nil {
		t.Fatal(err)
	}
	address := server.Addresses(t, 1)[0]
	_, port, _ := net.SplitHostPort(address)
	zkserver.Start(t, 1, zkserver.Config{Lines: []string{
		"secureClientPort=" + port, "secureClientPortAddress=127.0.0.1",
		"serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
		"ssl.keyStore.location=" + a.file("both.pem"), "ssl.keyStore.type=PEM",
		"ssl.trustStore.location=" + a.file("ca.pem"), "ssl.trustStore.type=PEM",
	}})
	return address
}

// Each server is shown as it is: which one leads, its version and load; dead, hanging, and
// without the others.
func TestStatusOfZooKeeper(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 3, zkserver.Config{})
	leader := e.Leader(t)
	p := at(t, "zk://"+strings.Join(e.Addresses(), ",")+"?"+tick)
	s := p.awaitStatus(0, func(s status) bool {
		return !slices.ContainsFunc(s.Endpoints, func(h endpoint) bool { return !h.Healthy })
	})
	if !s.Reachable || s.Safety != "linearizable" || len(s.Endpoints) != 3 {
		t.Errorf("got %+v", s)
	}
	for i, h := range s.Endpoints {
		want := "follower"
		if i == leader {
			want = "leader"
		}
		if h.Role != want || !strings.HasPrefix(h.Version, "3.") || h.Answered <= 0 || h.Connections == nil || h.Untold != "" {
			t.Errorf("got %+v, want a %s", h, want)
		}
	}

	dead, hangs, alone := (leader+1)%3, (leader+2)%3, leader
	e.Servers[dead].Kill()
	s = p.status(0)
	if h := s.Endpoints[dead]; h.Healthy || !strings.Contains(h.Error, "connection refused") {
		t.Errorf("the dead one: %+v", h)
	}
	text, _ := p.run(0, "status")
	for _, want := range []string{
		"store      zookeeper: zk://", "\nENDPOINT ", " LOAD\n", e.Servers[dead].Address() + "   no ", " leader ", " outstanding, ",
		"\nwarning: " + e.Servers[dead].Address() + ": ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}

	e.Servers[hangs].Pause()
	s = p.status(69)
	if h := s.Endpoints[hangs]; h.Healthy || h.Error != "no answer" {
		t.Errorf("the one that hangs: %+v", h)
	}
	if h := s.Endpoints[alone]; h.Healthy || h.Error == "" {
		t.Errorf("the one that is alone: %+v", h)
	}
	e.Servers[hangs].Resume()
}

// A server may be told not to tell of itself. Whether it takes locks is seen all the same.
func TestStatusOfASilentZooKeeper(t *testing.T) {
	t.Parallel()
	p := at(t, "zk://"+muzzled(t, zkserver.Start(t, 1, zkserver.Config{}).Addresses()[0])+"?"+tick)
	h := p.awaitStatus(0, func(s status) bool { return s.Endpoints[0].Healthy }).Endpoints[0]
	if h.Role != "" || h.Connections != nil || !strings.Contains(h.Untold, "4lw.commands.whitelist") {
		t.Errorf("got %+v", h)
	}
	if text, _ := p.run(0, "status"); !strings.Contains(text, "it tells no role, version and load: srvr is not in its 4lw.commands.whitelist") {
		t.Errorf("it says\n%s", text)
	}
}

// muzzled puts something before a server that answers for it when it is sent the word that a
// configuration may forbid, as a server does then. These servers need it themselves, to tell
// when they serve.
func muzzled(t *testing.T, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() { // ends with the listener
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the connection
				word := make([]byte, 4)
				if _, err := io.ReadFull(conn, word); err != nil || string(word) == "srvr" {
					_, _ = io.WriteString(conn, "srvr is not executed because it is not in the whitelist.\n")
					_ = conn.Close()
					return
				}
				forward(spoken{conn, io.MultiReader(bytes.NewReader(word), conn)}, address)
			}()
		}
	}()
	return l.Addr().String()
}

// spoken is a connection from which something was read already.
type spoken struct {
	net.Conn
	from io.Reader
}

func (s spoken) Read(b []byte) (int, error) { return s.from.Read(b) }
