package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/remotedriver"
)

// through is a client of Holdgate through HTTP servers.
func through(t *testing.T, o *remotedriver.Options, servers ...string) *holdgate.Client {
	t.Helper()
	drv, err := remotedriver.New(bounded(t), servers, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = drv.Close() })
	c, err := holdgate.New(drv, &holdgate.Options{TTL: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return c
}

func get(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(bounded(t), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// Two HTTP servers over one store: the daemon's own, and one that has none. A hold goes on
// when the one that took it is killed.
func TestHTTPServersOverOneStore(t *testing.T) {
	t.Parallel()
	store, first, second := freeAddress(t), freeAddress(t), freeAddress(t)
	serveProcess(t, "--data-dir", dataDirOf(t), "--listen", store, "--http", first)
	p := serveProcess(t, "--http", second, "--store", "etcd://"+store)
	mine := through(t, nil, "http://"+second, "http://"+first)
	hold, err := mine.Mutex("orders/42").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	other := through(t, nil, "http://"+first)
	if _, err := other.Mutex("orders/42").TryLock(bounded(t)); !errors.Is(err, holdgate.ErrBusy) {
		t.Errorf("TryLock through the other server: got the error %v, want busy", err)
	}
	p.kill()
	if err := hold.Verify(bounded(t)); err != nil {
		t.Errorf("after the server was killed the hold says %v", err)
	}
	if err := hold.Release(bounded(t)); err != nil {
		t.Errorf("Release through the other server: %v", err)
	}
	next, err := other.Mutex("orders/42").Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if next.Token() <= hold.Token() {
		t.Errorf("the next token is %v, after %v", next.Token(), hold.Token())
	}
}

// The daemon shows the page, and keeps the history that it tells.
func TestHTTPDashboard(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	serveProcess(t, "--data-dir", dataDirOf(t), "--listen", freeAddress(t), "--http", address)
	if status, text := get(t, http.DefaultClient, "http://"+address+"/"); status != http.StatusOK || !strings.Contains(text, "<title>Holdgate</title>") {
		t.Errorf("/ answers %d, %s", status, text)
	}
	if status, text := get(t, http.DefaultClient, "http://"+address+"/v1/history?name=x"); status != http.StatusOK {
		t.Errorf("the history answers %d, %s", status, text)
	}
}

// A new certificate, and who may come in, take effect without a new start.
func TestHTTPReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir)
	access := filepath.Join(dir, "access.json")
	allow := func(variable string) {
		text := `{"callers":[{"name":"a","token_variable":"` + variable + `","allow":[{"verbs":["lock","read"],"prefix":""}]}]}`
		if err := os.WriteFile(access, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	allow("TOKEN_A")
	address := freeAddress(t)
	const one, two = "the first token of a", "the second token of a"
	p := launch(t, []string{"TOKEN_A=" + strings.ReplaceAll(one, " ", "-"), "TOKEN_B=" + strings.ReplaceAll(two, " ", "-")}, []string{
		"--data-dir", filepath.Join(dir, "data"), "--listen", freeAddress(t), "--http", address,
		"--http-tls-cert", cert, "--http-tls-key", key, "--http-tls-ca", cert, "--http-access", access,
	})
	p.wantTold("READY=1")
	roots := func() *tls.Config {
		text, err := os.ReadFile(cert)
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(text)
		return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	}
	lock := func(token string) error {
		drv, err := remotedriver.New(bounded(t), []string{"https://" + address}, &remotedriver.Options{
			Token: strings.ReplaceAll(token, " ", "-"), TLS: roots(),
		})
		if err != nil {
			return err
		}
		return drv.Close()
	}
	if err := lock(one); err != nil {
		t.Errorf("with the token: %v", err)
	}
	if err := lock(two); err == nil {
		t.Error("a token that nobody has was let in")
	}
	before := shown(t, address)
	writeCertificate(t, dir)
	allow("TOKEN_B")
	p.signal(syscall.SIGHUP)
	p.wantLogged("msg=reloaded")
	if err := lock(two); err != nil {
		t.Errorf("with the new token and the new certificate: %v", err)
	}
	if err := lock(one); err == nil {
		t.Error("the old token is still let in")
	}
	if shown(t, address) == before {
		t.Error("the old certificate is still shown")
	}
	if err := os.WriteFile(access, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGHUP)
	p.wantLogged("not reloaded")
	if err := lock(two); err != nil {
		t.Errorf("after a file that cannot be read: %v", err)
	}
}

// shown is the certificate that a server shows.
func shown(t *testing.T, address string) string {
	t.Helper()
	d := &tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}} //nolint:gosec // it looks at the certificate
	conn, err := d.DialContext(bounded(t), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cert := conn.(*tls.Conn).ConnectionState().PeerCertificates[0]
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}))
}

// SIGTERM sends waits away, and the daemon ends in order.
func TestHTTPDrains(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	p := serveProcess(t, "--data-dir", dataDirOf(t), "--listen", freeAddress(t), "--http", address)
	if code, text := get(t, http.DefaultClient, "http://"+address+"/readyz"); code != http.StatusOK {
		t.Errorf("readyz: got status %d: %s", code, text)
	}
	ended := make(chan error, 1)
	go func() { // ends with the server
		r, err := http.NewRequestWithContext(bounded(t), http.MethodGet, "http://"+address+"/v1/events", nil)
		if err == nil {
			var answer *http.Response
			if answer, err = http.DefaultClient.Do(r); err == nil {
				defer answer.Body.Close()
				ended <- nil
				_, err = io.Copy(io.Discard, answer.Body)
			}
		}
		ended <- err
	}()
	if err := <-ended; err != nil {
		t.Fatalf("listen: %v", err)
	}
	p.signal(syscall.SIGTERM)
	p.wantTold("STOPPING=1")
	p.wantExit(0)
	if err := <-ended; err != nil {
		t.Errorf("the stream did not end in order: %v", err)
	}
}
