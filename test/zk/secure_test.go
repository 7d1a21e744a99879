package zk_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/server"
	"github.com/holdgate/holdgate/test/zkserver"
)

func TestDigestAuthentication(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	alice := zkdriver.Options{Username: "alice", Password: "secret", Prefix: "/chroot/locks"}
	_, a := process(t, e.Addresses(), alice, 0)
	_, b := process(t, e.Addresses(), alice, 0)
	hold, err := a.Mutex("orders").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Mutex("orders").TryLock(bounded(t)); !errors.Is(err, holdgate.ErrBusy) {
		t.Errorf("the same user, from another process: got %v, want busy", err)
	}
	for what, o := range map[string]zkdriver.Options{
		"nobody":                {Prefix: alice.Prefix},
		"somebody else":         {Prefix: alice.Prefix, Username: "bob", Password: "secret"},
		"with a wrong password": {Prefix: alice.Prefix, Username: "alice", Password: "guess"},
	} {
		_, c := process(t, e.Addresses(), o, 0)
		if _, err := c.Mutex("orders").TryLock(bounded(t)); !errors.Is(err, holdgate.ErrDenied) {
			t.Errorf("%s: got %v, want denied", what, err)
		}
	}
	if err := hold.Release(bounded(t)); err != nil {
		t.Error(err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	store, trust, pool := certificate(t)
	address := server.Addresses(t, 1)[0]
	_, port, _ := net.SplitHostPort(address)
	zkserver.Start(t, 1, zkserver.Config{Lines: []string{
		"secureClientPort=" + port, "secureClientPortAddress=127.0.0.1",
		"serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
		"ssl.keyStore.location=" + store, "ssl.keyStore.password=" + storePassword,
		"ssl.trustStore.location=" + trust, "ssl.trustStore.password=" + storePassword,
		"ssl.clientAuth=none",
	}})
	_, c := process(t, []string{address}, zkdriver.Options{TLS: &tls.Config{RootCAs: pool}}, 0)
	hold, err := c.Mutex("orders").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := hold.Release(bounded(t)); err != nil {
		t.Error(err)
	}
	_, stranger := process(t, []string{address}, zkdriver.Options{TLS: &tls.Config{RootCAs: x509.NewCertPool()}}, 0)
	if _, err := stranger.Mutex("orders").TryLock(bounded(t)); !errors.Is(err, holdgate.ErrUnavailable) {
		t.Errorf("a certificate that nobody vouches for: got %v, want unavailable", err)
	}
}

const storePassword = "holdgate"

// certificate makes a key for a server in a store of Java's, a store with what vouches for
// it, without which no server starts, and the same for our side.
func certificate(t *testing.T) (store, trust string, pool *x509.CertPool) {
	t.Helper()
	dir := t.TempDir()
	store, trust = filepath.Join(dir, "store.p12"), filepath.Join(dir, "trust.p12")
	keytool := func(in string, args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), "keytool", append(args, "-keystore", in, "-storetype", "PKCS12",
			"-storepass", storePassword, "-alias", "server")...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("keytool: %v\n%s", err, out)
		}
		return out
	}
	keytool(store, "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1", "-validity", "2")
	pem := keytool(store, "-exportcert", "-rfc")
	file := filepath.Join(dir, "server.pem")
	if err := os.WriteFile(file, pem, 0o600); err != nil {
		t.Fatal(err)
	}
	keytool(trust, "-importcert", "-noprompt", "-file", file)
	pool = x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("keytool exported no certificate: %s", pem)
	}
	return store, trust, pool
}
