package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"sync/atomic"
)

// readTLS reads the certificates of the HTTP API; nil is none.
func (f *webFlags) readTLS() (*tls.Config, error) {
	switch {
	case f.cert == "" && f.key == "" && f.ca == "":
		return nil, nil //nolint:nilnil // no TLS is an answer
	case f.cert == "":
		return nil, usage("--http-tls-cert: is required with --http-tls-key and --http-tls-ca")
	case f.key == "":
		return nil, usage("--http-tls-key: is required with --http-tls-cert")
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, usage("--http-tls-cert: %w", err)
	}
	c := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"},
	}
	if f.ca == "" {
		return c, nil
	}
	text, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, usage("--http-tls-ca: %w", err)
	}
	c.ClientCAs = x509.NewCertPool()
	if !c.ClientCAs.AppendCertsFromPEM(text) {
		return nil, usage("--http-tls-ca: %s has no certificate", f.ca)
	}
	// Who shows none may still have a token.
	c.ClientAuth = tls.VerifyClientCertIfGiven
	return c, nil
}

// currentTLS is a configuration whose certificates may be replaced while it is in use.
type currentTLS struct{ now atomic.Pointer[tls.Config] }

// config is the configuration of a listener: each handshake takes what is current.
func (c *currentTLS) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.now.Load(), nil },
	}
}
