package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// writeCertificate makes a certificate that is its own authority, for both sides.
func writeCertificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: public},
		key:  {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// All options come from the environment, as from a unit's file. The other commands get the same.
func TestTLSAndPassword(t *testing.T) {
	t.Parallel()
	const secret = "correct horse"
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir)
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	env := []string{
		"HOLDGATED_DATA_DIR=" + filepath.Join(dir, "data"), "HOLDGATED_LISTEN=" + address,
		"HOLDGATED_TLS_CERT=" + cert, "HOLDGATED_TLS_KEY=" + key, "HOLDGATED_TLS_CA=" + cert,
		"HOLDGATED_USER=locks", "HOLDGATED_PASSWORD_FILE=" + password, "HOLDGATED_LOG_LEVEL=debug",
	}
	p := launch(t, env, nil)
	p.wantTold("READY=1")

	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	lockAndUnlock(t, dial(t, clientv3.Config{
		Endpoints: []string{"https://" + address}, Username: "locks", Password: secret,
		TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
	}))

	out, stderr, code := run(t, env, "member", "list")
	if code != 0 || !strings.Contains(out, "https://"+address) {
		t.Errorf("member list: exit code %d: %s%s", code, out, stderr)
	}
	backup := filepath.Join(dir, "backup")
	if out, stderr, code := run(t, env, "backup", backup); code != 0 || !strings.Contains(out, backup+": ") {
		t.Errorf("backup: exit code %d: %s%s", code, out, stderr)
	}
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, error %v, want mode 0600", info.Mode(), err)
	}

	for what, text := range map[string]string{"log": p.log.String(), "ps": commandLine(t, p), "output": out + stderr} {
		if strings.Contains(text, secret) {
			t.Errorf("the password is in the %s", what)
		}
	}
}

func commandLine(t *testing.T, p *process) string {
	t.Helper()
	line, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/cmdline")
	if err != nil {
		t.Skip("no /proc")
	}
	return string(line)
}
