package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/server"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{t: t}
	a.cert, a.key = a.make(&x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a
}

// make makes a certificate; the first one signs itself.
func (a authority) make(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber, template.NotAfter = big.NewInt(1), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// client is a certificate of a client.
func (a authority) client(template *x509.Certificate) []tls.Certificate {
	a.t.Helper()
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	cert, key := a.make(template)
	return []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}
}

func TestSecurityCertificates(t *testing.T) {
	t.Parallel()
	ours, strange := newAuthority(t), newAuthority(t)
	s, err := server.New(memdriver.New(), &server.Options{Access: access(t, server.Caller{
		Name: "ops", Certificate: "ops.example", Rights: []server.Right{{Verbs: []server.Verb{server.VerbRead}}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(s)
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of every stranger
	h.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientCAs: x509.NewCertPool(), ClientAuth: tls.VerifyClientCertIfGiven}
	h.TLS.ClientCAs.AddCert(ours.cert)
	h.StartTLS()
	t.Cleanup(func() { _ = s.Close(); h.Close() })
	for name, test := range map[string]struct {
		certs []tls.Certificate
		want  int // 0: not even a connection
	}{
		"none":            {nil, http.StatusUnauthorized},
		"the common name": {ours.client(&x509.Certificate{Subject: pkix.Name{CommonName: "ops.example"}}), http.StatusOK},
		"a DNS name":      {ours.client(&x509.Certificate{DNSNames: []string{"other.example", "ops.example"}}), http.StatusOK},
		"of no caller":    {ours.client(&x509.Certificate{DNSNames: []string{"other.example"}}), http.StatusUnauthorized},
		"of a stranger":   {strange.client(&x509.Certificate{DNSNames: []string{"ops.example"}}), 0},
	} {
		transport := h.Client().Transport.(*http.Transport).Clone()
		transport.TLSClientConfig.Certificates = test.certs
		// Shown although the server asks for another authority's.
		transport.TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if len(test.certs) == 0 {
				return new(tls.Certificate), nil
			}
			return &test.certs[0], nil
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/v1/lines", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := transport.RoundTrip(r)
		got := 0
		if err == nil {
			got = answer.StatusCode
			_ = answer.Body.Close()
		}
		if got != test.want {
			t.Errorf("with the certificate %s: got status %d, error %v, want %d", name, got, err, test.want)
		}
		transport.CloseIdleConnections()
	}
}
