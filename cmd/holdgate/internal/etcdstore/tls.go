package etcdstore

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
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
	c := &tls.Config{ServerName: f.serverName, MinVersion: tls.VersionTLS12}
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
