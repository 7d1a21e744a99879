package command_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// authority signs certificates, for files in a directory.
type authority struct {
	t    *testing.T
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.key, a.cert = a.sign("ca", &x509.Certificate{IsCA: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// file is where a part of a certificate is: ca.pem, server.key.
func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// sign makes a certificate, and writes name.pem and name.key.
func (a *authority) sign(name string, template *x509.Certificate) (*ecdsa.PrivateKey, *x509.Certificate) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber, template.NotAfter, template.BasicConstraintsValid = big.NewInt(time.Now().UnixNano()), time.Now().Add(time.Hour), true
	template.Subject.CommonName = name // else OpenSSL does not find who signed
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		name + ".pem": {Type: "CERTIFICATE", Bytes: der},
		name + ".key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(a.file(file), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return key, cert
}

// serveTLS puts TLS before a member, and returns the address. Clients need a certificate of the
// authority.
func serveTLS(t *testing.T, a *authority, m *etcdserver.Member, names ...string) string {
	t.Helper()
	a.sign("server", &x509.Certificate{DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	pair, err := tls.LoadX509KeyPair(a.file("server.pem"), a.file("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, NextProtos: []string{"h2"},
	})
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
			go forward(conn, m.Endpoint()) // ends with the connection
		}
	}()
	return l.Addr().String()
}

// forward passes on what comes on a connection, both ways.
func forward(conn net.Conn, to string) {
	defer conn.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { // ends with the connection to the server
		_, _ = io.Copy(conn, server)
		_ = conn.Close()
	}()
	_, _ = io.Copy(server, conn)
}

// Authority, certificate and key come from the URL or from the environment. What does not fit is
// told in time, and nothing is started.
func TestTLS(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	ours, theirs := newAuthority(t), newAuthority(t)
	address := serveTLS(t, ours, c.Members[0], "locks.example")
	ours.sign("client", &x509.Certificate{})
	theirs.sign("client", &x509.Certificate{})
	good := "ca=" + ours.file("ca.pem") + "&cert=" + ours.file("client.pem") + "&key=" + ours.file("client.key")
	for name, tc := range map[string]struct {
		store string
		env   []string
		code  int
		says  string
	}{
		"in the URL": {"etcds://" + address + "?" + good, nil, 0, ""},
		"in the environment": {"etcds://" + address, []string{
			"HOLDGATE_STORE_CA=" + ours.file("ca.pem"), "HOLDGATE_STORE_CERT=" + ours.file("client.pem"), "HOLDGATE_STORE_KEY=" + ours.file("client.key"),
		}, 0, ""},
		"server name":          {"etcds://" + address + "?server-name=locks.example&" + good, nil, 0, ""},
		"another server name":  {"etcds://" + address + "?server-name=other.example&" + good, nil, 69, "certificate is valid for locks.example, not other.example"},
		"unknown authority":    {"etcds://" + address + "?ca=" + theirs.file("ca.pem"), nil, 69, "unknown authority"},
		"authority of systems": {"etcds://" + address, nil, 69, "unknown authority"},
		"no certificate":       {"etcds://" + address + "?ca=" + ours.file("ca.pem"), nil, 69, "unavailable"},
		"another's":            {"etcds://" + address + "?ca=" + ours.file("ca.pem") + "&cert=" + theirs.file("client.pem") + "&key=" + theirs.file("client.key"), nil, 69, "unavailable"},
		"key of another":       {"etcds://" + address + "?cert=" + ours.file("client.pem") + "&key=" + theirs.file("client.key"), nil, 64, "private key does not match"},
		"unreadable":           {"etcds://" + address + "?ca=" + ours.file("none.pem"), nil, 64, "no such file or directory"},
		"without TLS":          {"etcd://" + address, nil, 69, "unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, tc.store, tc.env...)
			stdout, stderr := p.run(tc.code, "run", "x", "--ttl", "8s", "--wait", "4s", "--", "printenv", "HOLDGATE_STORE")
			if !strings.Contains(stderr, tc.says) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("it says %q, want one line with %q", stderr, tc.says)
			}
			if tc.code != 0 && stdout != "" {
				t.Errorf("the command was started: %s", stdout)
			}
			if strings.Contains(stdout, "client.") {
				t.Errorf("the command is told of our certificate: %s", stdout)
			}
			if tc.code != 64 {
				if s := p.status(tc.code); s.Endpoints[0].Healthy != (tc.code == 0) {
					t.Errorf("its status is %+v", s)
				}
			}
		})
	}
}
