package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// Variables with what is better not written in a URL, or is the same for every store.
const (
	PasswordVariable   = "HOLDGATE_STORE_PASSWORD"
	CAVariable         = "HOLDGATE_STORE_CA"
	CertVariable       = "HOLDGATE_STORE_CERT"
	KeyVariable        = "HOLDGATE_STORE_KEY"
	ServerNameVariable = "HOLDGATE_STORE_SERVER_NAME"
)

// TLSOptions are the names of the options that [ReadFiles] takes.
func TLSOptions() []string { return []string{"ca", "cert", "key", "server-name"} }

// ErrFiles: a file of the options cannot be used.
var ErrFiles = errors.New("TLS files")

// Files say how each side of a TLS connection knows the other.
type Files struct {
	// ServerName is in the servers' certificates; "": the host of the endpoint.
	ServerName string

	ca        string // the authorities of the servers; "": the system's
	cert, key string // what we show; "": nothing
}

// ReadFiles takes each option from the URL or, where it is not there, from its variable.
// They are refused without TLS, which the scheme asks for: somebody who names an authority
// does not mean to do without it. Without TLS there are no files: nil.
func ReadFiles(encrypted bool, scheme string, o Options, env func(string) string) (*Files, error) {
	f := &Files{}
	for _, option := range []struct {
		name, variable string
		to             *string
	}{
		{"ca", CAVariable, &f.ca},
		{"cert", CertVariable, &f.cert},
		{"key", KeyVariable, &f.key},
		{"server-name", ServerNameVariable, &f.ServerName},
	} {
		from := "option " + option.name
		if *option.to = o[option.name]; *option.to == "" {
			from, *option.to = "$"+option.variable, env(option.variable)
		}
		switch {
		case *option.to == "":
		case !encrypted:
			return nil, fmt.Errorf("%s is for TLS: write %s://", from, scheme)
		case option.to != &f.ServerName && !filepath.IsAbs(*option.to):
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

// Describe adds what may be shown to the options of a URL.
func (f *Files) Describe(o url.Values) {
	if f.ca != "" {
		o.Set("ca", f.ca)
	}
	if f.ServerName != "" {
		o.Set("server-name", f.ServerName)
	}
}

// Load reads the files. nil is a connection without TLS.
func (f *Files) Load() (*tls.Config, error) {
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
