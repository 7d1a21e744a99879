package httpstore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver/remotedriver"
)

// The schemes of URLs.
const (
	Scheme    = "http"
	SchemeTLS = "https"
)

// TokenVariable has the token that lets in. It is never part of a URL, which servers and
// proxies log.
const TokenVariable = "HOLDGATE_STORE_TOKEN"

// Config says which servers are meant, and how they are reached.
type Config struct {
	scheme  string
	servers []string // host:port
	path    string   // in front of the API's own
	token   string
	tls     *remote.Files // nil: without TLS
}

// Read takes a URL apart, with the variables of the environment for what it leaves out. It
// touches nothing. Hosts are the URL's authority as it is written: net/url does not know
// several of them.
func Read(u *url.URL, hosts string, env func(string) string) (*Config, error) {
	c := &Config{scheme: u.Scheme, path: strings.TrimRight(u.EscapedPath(), "/"), token: env(TokenVariable)}
	port := "80"
	if u.Scheme == SchemeTLS {
		port = "443"
	}
	var err error
	if c.servers, err = remote.Hosts(hosts, port); err != nil {
		return nil, err
	}
	switch {
	case u.Fragment != "":
		return nil, errors.New("it has no fragment")
	case u.User != nil:
		return nil, fmt.Errorf("it has no user: what lets in is a token, in $%s", TokenVariable)
	case strings.ContainsAny(c.token, " \t\r\n"):
		return nil, fmt.Errorf("the token in $%s has white space", TokenVariable)
	case c.token != "" && u.Scheme == Scheme && !c.isLocal():
		return nil, fmt.Errorf("$%s would be sent in the clear: write %s://", TokenVariable, SchemeTLS)
	}
	o, err := remote.ReadOptions(u, remote.TLSOptions()...)
	if err != nil {
		return nil, err
	}
	c.tls, err = remote.ReadFiles(u.Scheme == SchemeTLS, SchemeTLS, o, env)
	return c, err
}

// isLocal reports whether all servers are on this machine.
func (c *Config) isLocal() bool {
	for _, server := range c.servers {
		host, _, _ := net.SplitHostPort(server) // Hosts has put them together
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}

// Open returns a driver, as soon as a server has told what the store behind it can do.
func (c *Config) Open(ctx context.Context) (*remotedriver.Driver, error) {
	return c.open(ctx, c.servers...)
}

// open returns a driver over some of the servers.
func (c *Config) open(ctx context.Context, servers ...string) (*remotedriver.Driver, error) {
	secure, err := c.secure()
	if err != nil {
		return nil, err
	}
	urls := make([]string, len(servers))
	for i, server := range servers {
		urls[i] = c.scheme + "://" + server + c.path
	}
	return remotedriver.New(ctx, urls, &remotedriver.Options{Token: c.token, TLS: secure})
}

func (c *Config) secure() (*tls.Config, error) {
	secure, err := c.tls.Load()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", remote.ErrFiles, err)
	}
	if secure != nil {
		secure.ServerName = c.tls.ServerName
	}
	return secure, nil
}

// String is the URL without what lets in: no token, no certificate of ours.
func (c *Config) String() string {
	u := url.URL{Scheme: c.scheme, Host: strings.Join(c.servers, ",")}
	options := url.Values{}
	if c.tls != nil {
		c.tls.Describe(options)
	}
	u.RawQuery = options.Encode()
	u.RawPath = c.path
	u.Path, _ = url.PathUnescape(c.path) // it was a path before
	return u.String()
}
