package etcdstore

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
)

// The schemes of URLs: TLS is asked for by the scheme, so that leaving out an option never
// means less of it.
const (
	Scheme    = "etcd"
	SchemeTLS = "etcds"
)

// defaultPort is where etcd listens for clients.
const defaultPort = "2379"

// Config says which etcd is meant, and how it is reached.
type Config struct {
	endpoints      []string // host:port
	prefix         string   // "": the driver's default
	layout         driver.Layout
	verbatim       bool
	user, password string
	tls            *remote.Files // nil: without TLS
}

// Read takes a URL apart, with the variables of the environment for what it leaves out. It
// touches nothing. Hosts are the URL's authority as it is written: net/url does not know
// several of them.
func Read(u *url.URL, hosts string, env func(string) string) (*Config, error) {
	c := &Config{}
	var err error
	if c.endpoints, err = remote.Hosts(hosts, defaultPort); err != nil {
		return nil, err
	}
	if u.Fragment != "" {
		return nil, errors.New("it has no fragment; # in a prefix or a password is written %23")
	}
	o, err := remote.ReadOptions(u, append(remote.TLSOptions(), "layout", "verbatim")...)
	if err != nil {
		return nil, err
	}
	if c.verbatim, err = o.Flag("verbatim"); err != nil {
		return nil, err
	}
	if c.layout, err = o.Layout(); err != nil {
		return nil, err
	}
	if c.prefix, err = readPrefix(u.Path, c.verbatim || c.layout == driver.LayoutSingle); err != nil {
		return nil, err
	}
	if c.tls, err = remote.ReadFiles(u.Scheme == SchemeTLS, SchemeTLS, o, env); err != nil {
		return nil, err
	}
	return c, c.readUser(u.User, env(remote.PasswordVariable))
}

// readUser takes the password from the URL, or else from the environment.
func (c *Config) readUser(user *url.Userinfo, password string) error {
	if in, ok := user.Password(); ok && in != "" {
		password = in
	}
	c.user, c.password = user.Username(), password
	switch {
	case c.user == "" && c.password != "":
		return fmt.Errorf("there is a password ($%s, or in the URL) and no user: %s://USER@HOST", remote.PasswordVariable, Scheme)
	case c.user != "" && c.password == "":
		return fmt.Errorf("there is a user and no password: put it into $%s", remote.PasswordVariable)
	}
	return nil
}

// readPrefix is where the locks are: "" for a URL without a path.
func readPrefix(path string, verbatim bool) (string, error) {
	switch {
	case path == "" || path == "/" && !verbatim:
		return "", nil
	case !utf8.ValidString(path) || strings.ContainsRune(path, 0):
		return "", errors.New("a prefix is UTF-8 without NUL")
	case strings.HasSuffix(path, "/") && !verbatim:
		return "", fmt.Errorf("a prefix does not end in a slash, %q does", path)
	}
	return path, nil
}

// String is the URL without what lets in: no user, no password, no certificate of ours.
func (c *Config) String() string {
	u := url.URL{Scheme: Scheme, Host: strings.Join(c.endpoints, ","), Path: c.prefix}
	options := url.Values{}
	if c.layout != "" {
		options.Set("layout", string(c.layout))
	}
	if c.verbatim {
		options.Set("verbatim", "true")
	}
	if c.tls != nil {
		u.Scheme = SchemeTLS
		c.tls.Describe(options)
	}
	u.RawQuery = options.Encode()
	return u.String()
}
