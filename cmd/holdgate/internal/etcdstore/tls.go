package etcdstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// files say how each side of a TLS connection knows the other.
type files struct {
	ca         string // the authorities of the servers; "": the system's
	cert, key  string // what we show; "": nothing
	serverName string // in the servers' certificates; "": the host of the endpoint
}

// readFiles takes each option from the URL or, where it is not there, from its variable.
// They are refused without TLS: somebody who names an authority does not mean to do
// without it.
func readFiles(encrypted bool, o options, env func(string) string) (*files, error) {
	f := &files{}
	for _, option := range []struct {
		name, variable string
		to             *string
	}{
		{"ca", CAVariable, &f.ca},
		{"cert", CertVariable, &f.cert},
		{"key", KeyVariable, &f.key},
		{"server-name", ServerNameVariable, &f.serverName},
	} {
		from := "option " + option.name
		if *option.to = o[option.name]; *option.to == "" {
			from, *option.to = "$"+option.variable, env(option.variable)
		}
		switch {
		case *option.to == "":
		case !encrypted:
			return nil, fmt.Errorf("%s is for TLS: write %s://", from, SchemeTLS)
		case option.to != &f.serverName && !filepath.IsAbs(*option.to):
			return nil, fmt.Errorf("%s is a file by its absolute path", from) // we change directories
		}
	}
	switch {
	case !encrypted:
		return nil, nil //nolint:nilnil // without TLS there are no files
	case (f.cert == "") != (f.key == ""):
		return nil, errors.New("options cert and key go together")
	}
	return f, nil
}

// describe adds what may be shown to the options of a URL.
func (f *files) describe(o url.Values) {
	if f.ca != "" {
		o.Set("ca", f.ca)
	}
	if f.serverName != "" {
		o.Set("server-name", f.serverName)
	}
}

// load reads the files. nil is a connection without TLS.
func (f *files) load() (*tls.Config, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // that is what the client takes
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("ca: %s has no certificate in PEM", f.ca)
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, fmt.Errorf("cert and key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// named are credentials that expect one name in the certificates of all servers. The name in a
// tls.Config does not do: etcd's client replaces it by the endpoint's.
type named struct {
	credentials.TransportCredentials
	name string
}

func (n named) ClientHandshake(ctx context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return n.TransportCredentials.ClientHandshake(ctx, n.name, conn)
}

func (n named) Clone() credentials.TransportCredentials {
	return named{n.TransportCredentials.Clone(), n.name}
}

// credentials are how a connection is made safe; without TLS it is not.
func (f *files) credentials(secure *tls.Config) credentials.TransportCredentials {
	switch {
	case f == nil:
		return insecure.NewCredentials()
	case f.serverName == "":
		return credentials.NewTLS(secure)
	}
	return named{credentials.NewTLS(secure), f.serverName}
}
