package etcdembed

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/etcd/client/pkg/v3/transport"
)

// check looks at the files, so that what is wrong with them is told by the field and not by
// the first connection.
func (t TLS) check(field string) error {
	if t.empty() {
		return nil
	}
	switch {
	case t.Cert == "":
		return invalid(field+".Cert", "is required with the other files")
	case t.Key == "":
		return invalid(field+".Key", "is required with the other files")
	}
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return invalid(field+".Cert", "and Key: %v", err)
	}
	if t.CA == "" {
		return nil
	}
	roots, err := readPool(t.CA)
	if err != nil {
		return invalid(field+".CA", "%v", err)
	}
	if err := goodForClients(pair, roots); err != nil {
		return invalid(field+".Cert", "is shown as a client's too, and would be refused: %v", err)
	}
	return nil
}

func goodForClients(pair tls.Certificate, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return err
		}
		between.AddCert(c)
	}
	_, err := pair.Leaf.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return err
}

func readPool(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in %s", file)
	}
	return pool, nil
}

// server is what etcd takes.
func (t TLS) server() transport.TLSInfo {
	return transport.TLSInfo{CertFile: t.Cert, KeyFile: t.Key, TrustedCAFile: t.CA, ClientCertAuth: t.CA != ""}
}

var errOtherCertificate = errors.New("the server shows another certificate than the one in the file")

// own is for connections to this very member. They trust the certificate in its file and
// no other: whether it names the address that is listened on does not matter, nor who
// signed it.
func (t TLS) own() *tls.Config {
	if t.empty() {
		return nil
	}
	return &tls.Config{
		MinVersion:           tls.VersionTLS12,
		GetClientCertificate: t.present,
		InsecureSkipVerify:   true, // VerifyConnection is stricter
		VerifyConnection: func(c tls.ConnectionState) error {
			pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
			if err != nil {
				return err
			}
			if len(c.PeerCertificates) == 0 || !bytes.Equal(c.PeerCertificates[0].Raw, pair.Certificate[0]) {
				return errOtherCertificate
			}
			return nil
		},
	}
}

// others is for connections to other members.
func (t TLS) others() (*tls.Config, error) {
	if t.empty() {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, GetClientCertificate: t.present}
	if t.CA == "" {
		return c, nil // the system's authorities
	}
	var err error
	c.RootCAs, err = readPool(t.CA)
	return c, err
}

// present answers a server that asks for a certificate.
func (t TLS) present(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	return &pair, err
}
